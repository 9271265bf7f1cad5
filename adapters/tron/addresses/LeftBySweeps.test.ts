/** What sweeps have left stays unknown while nodes do not tell it, but not for ever: no address would be swept again. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { fundingBody } from "../../../src/domain/families/tron/addresses/Funding.ts"
import { writeStored } from "../../../src/domain/families/tron/payment/StoredPayment.ts"
import { tron as rules } from "../../../src/domain/families/tron/Rules.ts"
import { transactionIdOf, writeRawData } from "../../../src/domain/families/tron/transaction/RawData.ts"
import { tron } from "../../../src/domain/quote/testing/Chains.ts"
import { TronRpc } from "../rpc/TronRpc.ts"
import { makeLeftBySweeps } from "./LeftBySweeps.ts"

const DAY = 86_400_000
const EXPIRATION = 1_700_000_000_000
const account = (digits: string) => Address.make(`0x${digits.repeat(20)}`)

/** Signed for a sweep. */
const signedAs = (timestamp: number) => {
  const rawData = writeRawData({
    ...fundingBody(account("a1"), account("b2"), 5n),
    reference: { height: 1n, hash: "1".padStart(64, "0") },
    expiration: EXPIRATION,
    timestamp,
    feeLimit: 0n
  })
  return {
    transactionId: Result.getOrThrow(parseTransactionId(rules, transactionIdOf(rawData))),
    raw: writeStored({ rawData, signature: new Uint8Array(65) }, 1n)
  }
}
const [one, other] = [signedAs(1), signedAs(2)]
const [untold, unanswered] = (["behind", "timeout"] as const).map((kind) =>
  new ChainUnavailable({ chain: tron.slug, operation: "a sweep", kind })
)

it.effect("what a sweep has left that too few nodes know is unknown for a day, then counts as paid, and is read once they know it", () => {
  let asked = 0
  let told: Effect.Effect<object, unknown> = Effect.fail(untold)
  const rpc = Layer.mock(TronRpc, {
    isAlone: () => false,
    witnessed: () =>
      Effect.suspend(() => {
        asked += 1
        // Whatever kind of answer is read: only this one is.
        return told as Effect.Effect<never>
      })
  })
  return Effect.gen(function*() {
    const left = makeLeftBySweeps(yield* TronRpc)
    yield* TestClock.setTime(EXPIRATION + DAY)
    assert.strictEqual(yield* Effect.flip(left(tron, [one], 9n)), untold)
    yield* TestClock.setTime(EXPIRATION + DAY + 1)
    assert.strictEqual(yield* left(tron, [one], 9n), 0n)
    told = Effect.fail(unanswered)
    assert.strictEqual(yield* Effect.flip(left(tron, [one], 9n)), unanswered)
    told = Effect.succeed({ sun: 7n, height: 3n })
    assert.strictEqual(yield* left(tron, [one], 9n), 7n)
    assert.strictEqual(asked, 4)
    // What is solidified is remembered, and counts for nothing beside what nobody tells.
    told = Effect.fail(untold)
    assert.strictEqual(yield* left(tron, [one], 9n), 7n)
    assert.strictEqual(yield* left(tron, [one, other], 9n), 0n)
    assert.strictEqual(asked, 5)
  }).pipe(Effect.provide(rpc))
})
