/** Concurrent sponsored deposits with a balance for only half of them, and what must be true afterwards. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { toHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { ended, nativeRequest, quote, sendDeposit } from "../../../testing/Client.ts"
import { eventually } from "../../../testing/Misbehaving.ts"
import { keyOf, ledgerOf } from "../../../testing/Sponsor.ts"
import type { TestSponsor } from "../../../testing/Sponsor.ts"
import { actualOf } from "../../../testing/Sponsored.ts"
import type { TestChains } from "../../../testing/TestChains.ts"

const COUNT = 64
/** Below the fees of each, so that each draws exactly this. */
const CAP = 20_000n

export const halfSponsor: TestSponsor = {
  id: "half",
  wallet: toHex(0x4a1f, { size: 20 }),
  balance: CAP * BigInt(COUNT / 2)
}

const holdsOf = (ledger: Readonly<Record<string, bigint>>) =>
  Object.keys(ledger).filter((account) => account.startsWith("Hold:"))

/** All end well. The sponsor pays for half of them, to the unit, and the other half's users pay for themselves. */
export const spendHalf = Effect.fnUntraced(function*(url: string, store: string, { alpha, beta, users }: TestChains) {
  const keys = users.slice(0, 8)
  const indices = Array.from({ length: COUNT / keys.length }, (_, index) => index)
  const quotes = yield* Effect.forEach(
    keys,
    (key) =>
      Effect.forEach(indices, () =>
        quote(
          url,
          nativeRequest(privateKeyToAccount(key).address, alpha, beta, 10n ** 16n, {
            subsidizeFees: true,
            maxSubsidizationAmount: `${CAP}`
          }),
          keyOf(halfSponsor)
        )),
    { concurrency: "unbounded" }
  )
  yield* Effect.forEach(
    keys,
    (key, index) => Effect.forEach(quotes[index] ?? [], (quoted) => sendDeposit(alpha, key, quoted)),
    { concurrency: "unbounded", discard: true }
  )
  const all = quotes.flat()
  const ends = yield* Effect.forEach(all, (quoted) => ended(url, quoted), { concurrency: 16 })
  assert.deepStrictEqual([...new Set(ends.map(({ status }) => status))], ["success"])
  const actual = yield* Effect.forEach(
    all,
    (quoted) => eventually("settled", actualOf(url, quoted), (each) => each !== undefined),
    { concurrency: 16 }
  )
  const paid = actual.map((each) => BigInt(each?.sponsorPayment.amount ?? -1))
  assert.deepStrictEqual([paid.filter((units) => units === CAP).length, paid.filter((units) => units === 0n).length], [
    COUNT / 2,
    COUNT / 2
  ])
  const ledger = yield* ledgerOf(store)
  assert.deepStrictEqual(holdsOf(ledger), [])
  assert.deepStrictEqual([ledger[`Wallet:${halfSponsor.wallet}`], ledger["Revenue"]], [undefined, halfSponsor.balance])
})
