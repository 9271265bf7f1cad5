/** Exchange A as a value, for oracles. Its adapters are loaded on first use. */
import { Effect, Layer } from "effect"
import { exchangeA as rules } from "../../src/domain/families/exchange-a/Rules.ts"
import type { ChainFamily } from "../family/ChainFamily.ts"
import { exchangeEntries, exchangeLacks } from "../family/Exchanges.ts"
import { factsOf, loaded } from "../family/Loading.ts"
import { Problem } from "../family/Variables.ts"
import { companionVariables, hubUrl, readCompanions } from "./Variables.ts"

export const exchangeA: ChainFamily = {
  rules,
  title: "exchange A",
  lacks: exchangeLacks,
  entries: exchangeEntries,
  observe: {
    variables: companionVariables,
    read: Effect.fnUntraced(function*(chains) {
      const { mappings, proxy } = yield* readCompanions
      if (mappings === undefined && chains.length > 0) {
        const slugs = chains.map(({ slug }) => slug).join(", ")
        return yield* new Problem({
          message: `${hubUrl.name} is not set: ${slugs} cannot tell without it which order a transfer is for`
        })
      }
      return {
        warnings: [],
        observers: (endpoints) =>
          loaded(async () => {
            const { HubMappings, Observer, Withdrawals } = await import("./index.ts")
            const kept = mappings === undefined ? HubMappings.none : HubMappings.layer(mappings)
            const asked = { of: endpoints, ...(proxy === undefined ? {} : { proxy }) }
            return Layer.merge(Observer.layer, Withdrawals.layer).pipe(
              Layer.provide([Layer.succeed(Observer.ExchangeAQuorums, asked), kept])
            )
          }),
        facts: factsOf(async () => (await import("./Check.ts")).check)
      }
    })
  }
}
