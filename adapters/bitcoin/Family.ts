/** The Bitcoin family as a value, for oracles. Its adapters are loaded on first use. */
import { Effect, Layer, Result } from "effect"
import { bitcoinPrefixes } from "../../src/domain/families/bitcoin/BitcoinPrefixes.ts"
import { bitcoin as rules } from "../../src/domain/families/bitcoin/Rules.ts"
import type { ChainFamily } from "../family/ChainFamily.ts"
import { factsOf, loaded } from "../family/Loading.ts"
import { explorerUrl, explorerVariables, readExplorer } from "./Variables.ts"

/** The first block tells chains of one network's addresses apart. */
const genesis: ChainFamily["entries"]["genesis"] = (named, network) => {
  const hash = named ?? bitcoinPrefixes[network].genesis
  return /^[0-9a-f]{64}$/.test(hash) ? Result.succeed(hash) : Result.fail("genesisHash is not 64 hex digits")
}

export const bitcoin: ChainFamily = {
  rules,
  title: "Bitcoin",
  lacks: { calls: "a transaction calls nothing: an order with calls is refused" },
  entries: {
    finality: { _tag: "Depth", blocks: 6, seconds: 0 },
    // Depth alone decides finality, because miners choose the block times.
    refuseFinality: (rule) =>
      rule._tag === "Depth" && rule.seconds === 0
        ? undefined
        : "finality must be a number of blocks, with 0 seconds, on Bitcoin",
    genesis,
    parts: [],
    swapSources: []
  },
  observe: {
    variables: explorerVariables,
    read: (chains) =>
      Effect.map(readExplorer, (explorer) => ({
        warnings: explorer === undefined && chains.length > 0
          ? [
            `no explorer (${explorerUrl.name}): no withdrawal is attested on ${
              chains.map(({ slug }) => slug).join(", ")
            }`
          ]
          : [],
        observers: (endpoints) =>
          loaded(async () => {
            const { Observer, Withdrawals } = await import("./index.ts")
            return Layer.merge(Observer.layer, Withdrawals.layer).pipe(
              Layer.provide(Layer.succeed(Observer.BitcoinQuorums, { of: endpoints, explorer }))
            )
          }),
        facts: factsOf(async () => (await import("./Check.ts")).check)
      }))
  }
}
