/** The Tron family as a value, for oracles. Its adapters are loaded on first use. */
import { Effect, Layer, Result } from "effect"
import { tron as rules } from "../../src/domain/families/tron/Rules.ts"
import type { ChainFamily } from "../family/ChainFamily.ts"
import { anyFinality } from "../family/EntryRules.ts"
import { factsOf, loaded } from "../family/Loading.ts"

/** A chain's number identifies it: it is the end of the first block's id. An entry may name the whole id. */
const genesis: ChainFamily["entries"]["genesis"] = (named) =>
  named === undefined || /^[0-9a-f]{64}$/.test(named)
    ? Result.succeed(named)
    : Result.fail("genesisHash is not 64 hex digits")

export const tron: ChainFamily = {
  rules,
  title: "Tron",
  entries: {
    // Solidified blocks.
    finality: { _tag: "Tag", tag: "finalized", seconds: 60 },
    refuseFinality: anyFinality,
    genesis,
    parts: [],
    swapSources: []
  },
  observe: {
    variables: [],
    read: () =>
      Effect.succeed({
        warnings: [],
        observers: (endpoints) =>
          loaded(async () => {
            const { Observer, Withdrawals } = await import("./index.ts")
            return Layer.merge(Observer.layer, Withdrawals.layer).pipe(
              Layer.provide(Layer.succeed(Observer.TronQuorums, { of: endpoints }))
            )
          }),
        facts: factsOf(async () => (await import("./Check.ts")).check)
      })
  }
}
