/** The prices of a chain: read once in a minute. A failure is not kept. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { tron } from "../../../src/domain/quote/testing/Chains.ts"
import type { TronNode } from "../rpc/TronNode.ts"
import { TronRpc } from "../rpc/TronRpc.ts"
import type { TronClient } from "../rpc/TronRpc.ts"
import * as Prices from "./TronPrices.ts"

const keys = [
  "getEnergyFee",
  "getTransactionFee",
  "getMemoFee",
  "getCreateAccountFee",
  "getCreateNewAccountFeeInSystemContract",
  "getMaxFeeLimit"
]

/** A node that tells another price each time it is asked, when it answers. */
const scripted = () => {
  let asked = 0
  const node: TronNode = {
    jsonRpc: () => Effect.fail("refused"),
    solidity: () => Effect.fail("refused"),
    wallet: () =>
      Effect.suspend(() => {
        asked += 1
        return asked === 1 ? Effect.fail("refused") : Effect.succeed({
          chainParameter: keys.map((key) => ({ key, value: asked }))
        })
      })
  }
  const ask: TronClient["read"] = (read) => Effect.runPromise(read(node, 1_000))
  const unavailable = new ChainUnavailable({ chain: tron.slug, operation: "prices", kind: "refused" })
  const rpc = Layer.mock(TronRpc, {
    isAlone: () => true,
    call: (_chain, _operation, call) =>
      Effect.tryPromise({
        try: () => call({ read: ask, readRecent: ask }, { done: () => {} }),
        catch: () => unavailable
      })
  })
  return Layer.provide(Prices.layer, rpc)
}

describe("the prices of a Tron chain", () => {
  it.effect("are read again after a minute, and after a failure at once", () =>
    Effect.gen(function*() {
      const prices = yield* Prices.TronPrices
      const energy = Effect.map(prices.of(tron), (told) => told.energy)
      assert.strictEqual((yield* Effect.flip(prices.of(tron))).kind, "refused")
      assert.strictEqual(yield* energy, 2n)
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(yield* energy, 2n)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* energy, 3n)
    }).pipe(Effect.provide(scripted())))
})
