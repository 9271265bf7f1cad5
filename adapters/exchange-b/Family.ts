/** Exchange B as a value, for oracles. Its adapters are loaded on first use. */
import { Effect, Layer, Schema } from "effect"
import type { Redacted } from "effect"
import { exchangeB as rules } from "../../src/domain/families/exchange-b/Rules.ts"
import type { ChainFamily } from "../family/ChainFamily.ts"
import { exchangeEntries, exchangeLacks } from "../family/Exchanges.ts"
import { factsOf, loaded } from "../family/Loading.ts"
import { readOptional } from "../family/Variables.ts"
import type { Variable } from "../family/Variables.ts"

const endpointKey: Variable<Redacted.Redacted> = {
  name: "EXCHANGEB_RPC_API_KEY",
  meaning: "sent to the endpoints of exchange B as x-api-key",
  schema: Schema.RedactedFromValue(Schema.NonEmptyString, { label: "key", disallowEncode: true })
}

export const exchangeB: ChainFamily = {
  rules,
  title: "exchange B",
  lacks: exchangeLacks,
  entries: exchangeEntries,
  observe: {
    variables: [endpointKey],
    read: () =>
      Effect.map(readOptional(endpointKey), (key) => ({
        warnings: [],
        observers: (endpoints) =>
          loaded(async () => {
            const { Observer, Withdrawals } = await import("./index.ts")
            const asked = { of: endpoints, ...(key === undefined ? {} : { key }) }
            return Layer.merge(Observer.layer, Withdrawals.layer).pipe(
              Layer.provide(Layer.succeed(Observer.ExchangeBQuorums, asked))
            )
          }),
        facts: factsOf(async () => (await import("./Check.ts")).checkWith(key))
      }))
  }
}
