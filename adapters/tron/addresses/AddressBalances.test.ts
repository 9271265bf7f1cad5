/** The watcher of deposit addresses asks for a hundred at a time: a Tron node is not asked for all of them at once. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { TronPrices } from "../cost/TronPrices.ts"
import { TronRpc } from "../rpc/TronRpc.ts"
import { layer } from "./AddressBalances.ts"

const holder = "TGzz8gjYiYRqpfmDwnLxfgPuLVNmpCswVp" as Address
const chain = { slug: "tron" } as unknown as Chain

it.effect("no more than twenty addresses are read at once, and every one is read", () => {
  let [open, most] = [0, 0]
  const rpc = TronRpc.of(
    {
      call: () =>
        Effect.acquireUseRelease(
          Effect.sync(() => {
            open += 1
            most = Math.max(most, open)
          }),
          () => Effect.as(Effect.yieldNow, []),
          () =>
            Effect.sync(() => {
              open -= 1
            })
        )
    } as unknown as TronRpc["Service"]
  )
  const around = Layer.mergeAll(
    Layer.succeed(TronRpc, rpc),
    Layer.succeed(TronPrices, { of: () => Effect.succeed({} as never) })
  )
  return Effect.gen(function*() {
    const balances = yield* AddressBalances
    const each = Array.from({ length: 100 }, () => balances.read(chain, holder, [], "watched"))
    assert.lengthOf(yield* Effect.all(each, { concurrency: "unbounded" }), 100)
    assert.strictEqual(most, 20)
  }).pipe(Effect.provide(layer.pipe(Layer.provide(around))))
})
