/**
 * How long a payment of tron-vm can be executed (TRON-7, TRON-9). Pure.
 *
 * A block may hold a transaction while its parent's time is below the expiration. So once a solidified block has that
 * time, no block above it may hold the transaction, and what the blocks up to it hold never changes. Only the chain's
 * own time counts.
 */

/** No node takes a transaction that expires later. */
export const MOST_LIFETIME_MINUTES = 24 * 60

/** The time of a block, seconds. */
interface Timed {
  readonly time: number
}

/**
 * Milliseconds of chain time. Undefined when the solidified part is so far behind the newest block that half of the
 * lifetime has passed already.
 */
export const expirationOf = (solid: Timed, newest: Timed, lifetimeMinutes: number): number | undefined => {
  const lifetime = lifetimeMinutes * 60_000
  const expiration = solid.time * 1_000 + lifetime
  return newest.time * 1_000 + lifetime / 2 > expiration ? undefined : expiration
}

/** True when no block above this solidified one may hold a transaction that expires then. */
export const isPast = (solid: Timed, expiration: number): boolean => solid.time * 1_000 >= expiration

/** No account makes so many payments while the same block is the newest solidified one. */
const PAYMENTS_OF_A_BLOCK = 60_000n

/**
 * The timestamp, milliseconds: two payments that refer to the same block are never the same bytes, even if they pay the
 * same amount to the same account for the same order.
 */
export const timestampOf = (reference: Timed, sequence: bigint): number =>
  reference.time * 1_000 + Number(sequence % PAYMENTS_OF_A_BLOCK)
