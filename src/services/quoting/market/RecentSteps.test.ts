import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { DepositUnfit, StepBuilder } from "../../../../ports/chain/StepBuilder.ts"
import type { DepositIntent } from "../../../../ports/chain/StepBuilder.ts"
import { Address } from "../../../domain/chain/Address.ts"
import { alpha, evmAddress } from "../../../domain/quote/testing/Chains.ts"
import * as RecentSteps from "./RecentSteps.ts"

const token = alpha.currencies.find(({ isNative }) => !isNative)
const native: DepositIntent = {
  origin: alpha,
  currency: alpha.native,
  amount: 5n,
  user: Address.make(evmAddress("11")),
  way: { _tag: "Depository" }
}

/** Each reading has another number as its balance. */
const counting = (repeatable: boolean) => {
  const read = { count: 0n, refuses: false }
  const chain = Layer.mock(StepBuilder, {
    prepare: () =>
      Effect.suspend(() => {
        read.count += 1n
        return read.refuses
          ? Effect.fail(new DepositUnfit({ reason: { _tag: "Dust", least: 1n } }))
          : Effect.succeed({ userBalance: read.count, gas: 0n, steps: () => [], repeatable })
      })
  })
  return { read, layer: RecentSteps.layer(1_000).pipe(Layer.provide(chain)) }
}

const balance = (intent: DepositIntent) =>
  Effect.flatMap(StepBuilder, ({ prepare }) => Effect.map(prepare(intent), ({ userBalance }) => userBalance))

describe("cached readings of deposits", () => {
  it.effect("are shared by the same deposit for as long as they may be, and by no other", () => {
    const { layer, read } = counting(true)
    return Effect.gen(function*() {
      assert.deepStrictEqual([yield* balance(native), yield* balance(native)], [1n, 1n])
      const others: ReadonlyArray<Partial<DepositIntent>> = [
        { amount: 6n },
        { user: Address.make(evmAddress("12")) },
        { way: { _tag: "Transfer" } }
      ]
      for (const [nth, other] of others.entries()) {
        assert.strictEqual(yield* balance({ ...native, ...other }), BigInt(nth) + 2n)
      }
      yield* TestClock.adjust("1 second")
      read.refuses = true
      yield* Effect.flip(balance(native))
      read.refuses = false
      assert.strictEqual(yield* balance(native), 6n)
    }).pipe(Effect.provide(layer))
  })

  it.effect("are not kept for tokens, named addresses, fee payers, and where the adapter does not allow it", () =>
    Effect.gen(function*() {
      if (token === undefined) return assert.fail("alpha has no token")
      const user = native.user
      const never: ReadonlyArray<Partial<DepositIntent>> = [
        { currency: token },
        { way: { _tag: "Send", recipient: user } },
        { way: { _tag: "Address", factory: undefined, depositor: user, address: undefined } },
        { feePayer: user },
        { computeUnitLimit: true },
        { userPublicKey: new Uint8Array(33) }
      ]
      const { layer } = counting(true)
      yield* Effect.forEach(never, (other) =>
        Effect.gen(function*() {
          const first = yield* balance({ ...native, ...other })
          assert.strictEqual(yield* balance({ ...native, ...other }), first + 1n)
        })).pipe(Effect.provide(layer))
      yield* Effect.provide(
        Effect.gen(function*() {
          assert.deepStrictEqual([yield* balance(native), yield* balance(native)], [1n, 2n])
        }),
        counting(false).layer
      )
    }))
})
