/** GET /config/v2. */
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { SentTransactions } from "../../../../ports/chain/SentTransactions.ts"
import { OrderSigner } from "../../../../ports/signing/OrderSigner.ts"
import { Capacity } from "../../../../src/services/quoting/Capacity.ts"
import { Pausing } from "../../../../src/services/operations/Pausing.ts"
import { currencyId } from "../currencies/SearchCurrencies.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { inputErrors } from "../status/StatusRoutes.ts"
import { TransferApi } from "../TransferApi.ts"

interface Query {
  readonly originChainId: string
  readonly destinationChainId: string
  readonly currency?: string
}

const notServed = (field: string, where: string) =>
  new BadRequest({ message: `${field}: not served ${where}; GET /chains lists what is` })

export const layer = HttpApiBuilder.group(
  TransferApi,
  "config",
  Effect.fn(function*(handlers) {
    const { all } = yield* Chains
    const pausing = yield* Pausing
    const capacity = yield* Capacity
    const { solver } = yield* OrderSigner
    const { accountsOn } = yield* SentTransactions

    const served = Effect.fnUntraced(function*(field: "destinationChainId" | "originChainId", query: Query) {
      return all.find(({ id }) => `${id}` === query[field]) ?? (yield* notServed(field, "here"))
    })

    const configV2 = Effect.fn("http.config")(
      function*({ query }: { readonly query: Query }) {
        const [origin, destination] = [
          yield* served("originChainId", query),
          yield* served("destinationChainId", query)
        ]
        const id = query.currency?.toLowerCase() ?? currencyId(destination.native)
        const currency = destination.currencies.find((each) => currencyId(each) === id) ??
          (yield* notServed("currency", `on ${destination.name}`))
        const isOpen = pausing.refusePaused({
          originChainId: origin.id,
          originCurrency: (origin.currencies.find((each) => currencyId(each) === id) ?? origin.native).address,
          destinationChainId: destination.id,
          destinationCurrency: currency.address
        }).pipe(Effect.as(true), Effect.catchTag("QuoteRefused", () => Effect.succeed(false)))
        const [enabled, { balance, perRequest }] = yield* Effect.all([isOpen, capacity.of(destination, currency)], {
          concurrency: "unbounded"
        })
        return {
          enabled,
          solver: {
            address: accountsOn(destination)[0] ?? solver,
            balance: balance.toString(),
            capacityPerRequest: perRequest.toString()
          },
          supportsExternalLiquidity: true as const
        }
      },
      Effect.catchTags({
        ChainUnavailable: ({ message }) => Effect.fail(new Unavailable({ message })),
        StoreUnavailable: ({ message }) => Effect.fail(new Unavailable({ message }))
      })
    )

    return handlers.handleAll({ configV2 })
  })
).pipe(Layer.provide(inputErrors))
