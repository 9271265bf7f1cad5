/**
 * Which nonces of an account exchange A still executes (EXCHANGEA-21). Pure.
 *
 * The exchange takes a nonce, which is a time in milliseconds, when it is less than a day ahead of its clock and less
 * than two days behind it, when the account has not used it, and when it is above the smallest of the hundred highest
 * that the account has used. Each of the two bounds only rises.
 *
 * SECURITY: it forgets the nonces of an account whose last balance goes. So the solver's account keeps one
 * (`KEPT_ON_PERPS`), and nobody empties it by hand while payments wait.
 */

/** Milliseconds. */
const HOUR = 3_600_000n
const DAY = 24n * HOUR

/** So many of the highest used nonces count. */
export const COUNTED_NONCES = 100

/** An entry is in the ledger that late at most, after the exchange's clock has shown its time. Milliseconds. */
const LEDGER_LATE = HOUR

/** Up to here the ledger shows no further entry, milliseconds. `now`: the exchange's clock, read before the ledger. */
export const settledAt = (now: bigint): bigint => now - LEDGER_LATE - 1n

/** How far a payment's nonce may be ahead of the exchange's clock, because others were signed in the same moment. */
export const MOST_AHEAD = 5_000n

/** No endpoint shows an entry with a nonce earlier than that before the nonce. Milliseconds. */
const CLOCKS_APART = 600_000n

/** Smallest units of USDC on perps that the account never pays out. */
export const KEPT_ON_PERPS = 100_000_000n

/**
 * Every nonce below it is used, or is never executed. `now`: the exchange's clock, read before the ledger. `used`:
 * nonces of the account that the ledger shows, in any order, each once.
 */
export const lowestOpenNonce = (now: bigint, used: ReadonlyArray<bigint>): bigint => {
  const byAge = now - 2n * DAY - LEDGER_LATE
  const byCount = used.toSorted((one, other) => one < other ? 1 : one > other ? -1 : 0)[COUNTED_NONCES - 1]
  return byCount !== undefined && byCount > byAge ? byCount : byAge
}

/** The times in which the ledger can show a nonce, milliseconds, both ends included. */
export const timesOf = (nonce: bigint): { readonly from: bigint; readonly to: bigint } => ({
  from: nonce - MOST_AHEAD - CLOCKS_APART,
  to: nonce + 2n * DAY + LEDGER_LATE
})
