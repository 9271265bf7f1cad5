/** The watcher of deposit addresses asks for a hundred at a time: a Tron node is not asked for all of them at once. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { tron } from "../../../src/domain/quote/testing/Chains.ts"
import { TronPrices } from "../cost/TronPrices.ts"
import { TronRpc } from "../rpc/TronRpc.ts"
import { layer } from "./AddressBalances.ts"

const holder = Address.make("TGzz8gjYiYRqpfmDwnLxfgPuLVNmpCswVp")
const unavailable = new ChainUnavailable({ chain: tron.slug, operation: "balances", kind: "refused" })
const prices = { energy: 1n, bandwidth: 1n, memo: 1n, newAccount: 1n, mostFeeLimit: 1n }

it.effect("no more than twenty addresses are asked for at once, and each of them is, whatever became of the others", () => {
  let [open, most, asked] = [0, 0, 0]
  const around = Layer.mergeAll(
    Layer.mock(TronRpc, {
      isAlone: () => true,
      call: () =>
        Effect.acquireUseRelease(
          Effect.sync(() => {
            asked += 1
            open += 1
            most = Math.max(most, open)
          }),
          () => Effect.andThen(Effect.yieldNow, Effect.fail(unavailable)),
          () =>
            Effect.sync(() => {
              open -= 1
            })
        )
    }),
    Layer.succeed(TronPrices, { of: () => Effect.succeed(prices) })
  )
  return Effect.gen(function*() {
    const balances = yield* AddressBalances
    const each = Array.from({ length: 100 }, () => Effect.flip(balances.read(tron, holder, [], "watched")))
    yield* Effect.all(each, { concurrency: "unbounded" })
    assert.deepStrictEqual([asked, most, open], [100, 20, 0])
  }).pipe(Effect.provide(layer.pipe(Layer.provide(around))))
})
