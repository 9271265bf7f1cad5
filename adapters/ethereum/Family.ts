/** The EVM family as a value. Its adapters are loaded on first use. */
import { Effect, Layer } from "effect"
import { ethereum as rules } from "../../src/domain/families/ethereum/Rules.ts"
import type { ChainFamily } from "../family/ChainFamily.ts"
import { anyFinality, usualFinality } from "../family/EntryRules.ts"
import { factsOf, loaded } from "../family/Loading.ts"

export const ethereum: ChainFamily = {
  rules,
  title: "EVM chains",
  entries: {
    finality: usualFinality,
    refuseFinality: anyFinality,
    parts: ["factory", "permits", "price-feeds", "l1-data-fee"],
    swapSources: ["uniswap-v3", "uniswap-v2"]
  },
  observe: {
    variables: [],
    read: () =>
      Effect.succeed({
        warnings: [],
        observers: (endpoints) =>
          loaded(async () => {
            const [Observer, Withdrawals] = await Promise.all([
              import("./observe/Observer.ts"),
              import("./observe/Withdrawals.ts")
            ])
            return Layer.merge(Observer.layer, Withdrawals.layer).pipe(
              Layer.provide(Layer.succeed(Observer.EthereumQuorums, { of: endpoints }))
            )
          }),
        facts: factsOf(async () => (await import("./Check.ts")).check),
        hubs: (endpoints) =>
          loaded(async () => {
            const { HubQuorums, layer } = await import("./observe/HubBalances.ts")
            return Layer.provide(layer, Layer.succeed(HubQuorums, { of: endpoints }))
          })
      })
  },
  transfer: {
    // The keys of solver and operator belong to the service itself: the protocol's accounts are of this family.
    variables: [],
    read: () =>
      Effect.succeed({
        keys: [],
        ports: ({ endpoints, signers }) =>
          loaded(async () => (await import("./TransferPorts.ts")).layer(endpoints, signers))
      })
  }
}
