import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import { ChainUnavailable } from "../../../../ports/chain/ChainUnavailable.ts"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { SettlingHub } from "../../../../ports/hub/SettlingHub.ts"
import { Treasury } from "../../../../ports/chain/Treasury.ts"
import { alpha, beta } from "../../../domain/quote/testing/Chains.ts"
import { holdingsOn } from "./Holdings.ts"
import * as Inventory from "./Inventory.ts"
import { defaultPolicy, Policy } from "../../operations/Policy.ts"

/** What is shown to be held: by chain and holding, of the native currency. */
const held = Effect.map(
  Metric.snapshot,
  (all) =>
    new Map(
      all.flatMap(({ attributes, id, state }) =>
        id === "inventory" && attributes?.["address"] === alpha.native.address && "value" in state
          ? [[`${attributes["chain"]} ${attributes["holding"]}`, Number(state.value)] as const]
          : []
      )
    )
)

const shown = (name: string, isOurs: (attributes: Readonly<Record<string, string>>) => boolean) =>
  Effect.map(Metric.snapshot, (all) =>
    all.reduce((sum, { attributes, id, state }) => {
      if (id !== name || !isOurs(attributes ?? {})) return sum
      return sum + Number("value" in state ? state.value : "count" in state ? state.count : 0)
    }, 0))

const alarms = shown("alarms_total", ({ what }) => what === "inventory-low")
const isLow = shown("inventory_low", ({ chain }) => chain === "alpha")

const refuse = () => Effect.die("not asked for")

const treasuryOf = (inventory: Treasury["Service"]["inventory"]) =>
  Treasury.of({ inventory, prepare: refuse, broadcast: refuse, outcome: refuse, replacing: () => undefined })

const run = (treasury: Treasury["Service"], lowWaterOf = defaultPolicy.lowWaterOf) =>
  Layer.build(Inventory.layer.pipe(Layer.provide([
    Layer.succeed(Chains, { all: [alpha, beta] }),
    Layer.succeed(SettlingHub, { hub: undefined, followed: [] }),
    Layer.succeed(Treasury, treasury),
    Layer.succeed(Policy, { ...defaultPolicy, lowWaterOf })
  ])))

describe("the inventory", () => {
  it.effect("is read every 15 seconds in whole units; a chain that does not answer keeps its numbers and delays no other", () =>
    Effect.scoped(Effect.gen(function*() {
      let reads = 0
      let amount = 1_500_000_000_000_000_000n
      let isUp = true
      const treasury = treasuryOf((chain) =>
        Effect.suspend(() => {
          reads += 1
          return isUp || chain.id !== alpha.id
            ? Effect.succeed([amount])
            : Effect.fail(new ChainUnavailable({ chain: chain.slug, operation: "inventory", kind: "timeout" }))
        })
      )
      yield* run(treasury)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* held).get("alpha account"), 1.5)
      assert.strictEqual((yield* held).has("alpha vault"), alpha.vault !== undefined)
      const first = reads
      // Each place once, for the numbers and the marks together.
      assert.strictEqual(first, holdingsOn(alpha).length + holdingsOn(beta).length)
      yield* TestClock.adjust("13 seconds")
      assert.strictEqual(reads, first)
      isUp = false
      amount *= 2n
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual([(yield* held).get("alpha account"), (yield* held).get("beta account")], [1.5, 3])
      isUp = true
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* held).get("alpha account"), 3)
    })))

  it.effect("below a mark is reported once for each crossing, also while another currency of the chain cannot be read", () =>
    Effect.scoped(Effect.gen(function*() {
      const [other] = alpha.currencies.filter(({ address }) => address !== alpha.native.address)
      let amount = 9n
      const treasury = treasuryOf((chain, currency) =>
        Effect.suspend(() =>
          currency === other
            ? Effect.fail(new ChainUnavailable({ chain: chain.slug, operation: "inventory", kind: "timeout" }))
            : Effect.succeed([amount])
        )
      )
      yield* run(treasury, (currency, holding) => currency === alpha.native && holding === "account" ? 10n : undefined)
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual([yield* alarms, yield* isLow], [1, 1])
      amount = 10n
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual([yield* alarms, yield* isLow], [1, 0])
      amount = 9n
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual([yield* alarms, yield* isLow], [2, 1])
    })))
})
