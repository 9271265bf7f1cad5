import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import { ChainUnavailable } from "../../ports/ChainUnavailable.ts"
import { Chains } from "../../ports/Chains.ts"
import { Treasury } from "../../ports/Treasury.ts"
import { alpha, beta } from "../domain/quote/testing/Chains.ts"
import * as Inventory from "./Inventory.ts"

/** What is shown to be held: by chain and holding, of the native currency. */
const held = Effect.map(Metric.snapshot, (all) =>
  new Map(all.flatMap(({ attributes, id, state }) =>
    id === "inventory" && attributes?.["address"] === alpha.native.address && "value" in state
      ? [[`${attributes["chain"]} ${attributes["holding"]}`, Number(state.value)] as const]
      : [])))

describe("the inventory", () => {
  it.effect("is read every 30 seconds in whole units, and a chain that does not answer keeps its numbers and delays no other", () =>
    Effect.scoped(Effect.gen(function*() {
      let reads = 0
      let amount = 1_500_000_000_000_000_000n
      let isUp = true
      const refuse = () => Effect.die("not asked for")
      const treasury = Treasury.of({
        inventory: (chain) =>
          Effect.suspend(() => {
            reads += 1
            return isUp || chain.id !== alpha.id
              ? Effect.succeed(amount)
              : Effect.fail(new ChainUnavailable({ chain: chain.slug, operation: "inventory", kind: "timeout" }))
          }),
        prepare: refuse,
        broadcast: refuse,
        outcome: refuse,
        feeMarket: refuse,
        bidOf: () => { throw new Error("not asked for") },
        reprice: refuse
      })
      yield* Layer.build(Inventory.layer.pipe(Layer.provide([Layer.succeed(Chains, { all: [alpha, beta] }), Layer.succeed(Treasury, treasury)])))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* held).get("alpha account"), 1.5)
      assert.strictEqual((yield* held).has("alpha vault"), alpha.vault !== undefined)
      const first = reads
      yield* TestClock.adjust("28 seconds")
      assert.strictEqual(reads, first)
      isUp = false
      amount *= 2n
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual([(yield* held).get("alpha account"), (yield* held).get("beta account")], [1.5, 3])
      isUp = true
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* held).get("alpha account"), 3)
    })))
})
