/** POST /currencies/v2, GET /currencies/token/price and GET /currencies/trending. */
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { Prices } from "../../../../ports/market/Prices.ts"
import { formatDecimal } from "../../../../src/domain/money/Decimal.ts"
import { USD_PRICE_DIGITS } from "../../../../src/domain/money/Usd.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { inputErrors } from "../status/StatusRoutes.ts"
import { TransferApi } from "../TransferApi.ts"
import type { CurrencySearch } from "./CurrenciesApi.ts"
import { currencyAt, searchCurrencies } from "./SearchCurrencies.ts"

export const layer = HttpApiBuilder.group(
  TransferApi,
  "currencies",
  Effect.fn(function*(handlers) {
    const { all } = yield* Chains
    const prices = yield* Prices

    const currenciesV2 = ({ payload }: { readonly payload: CurrencySearch }) =>
      Effect.succeed(searchCurrencies(all, payload))

    const trending = ({ query }: { readonly query: { readonly chainId?: string; readonly limit?: number } }) =>
      Effect.succeed(
        searchCurrencies(all.filter(({ id }) => query.chainId === undefined || `${id}` === query.chainId), {
          defaultList: true,
          ...(query.limit === undefined ? {} : { limit: query.limit })
        })
      )

    const tokenPrice = Effect.fn("http.tokenPrice")(
      function*({ query }: { readonly query: { readonly address: string; readonly chainId: string } }) {
        const chain = all.find(({ id }) => `${id}` === query.chainId)
        const currency = chain === undefined ? undefined : currencyAt(chain, query.address)
        if (currency === undefined) {
          const field = chain === undefined ? "chainId" : "address"
          return yield* new BadRequest({ message: `${field}: not served here; GET /chains lists what is` })
        }
        const { price } = yield* Effect.mapError(
          prices.priceOf(currency),
          ({ message }) => new Unavailable({ message })
        )
        return { price: Number(formatDecimal(price, USD_PRICE_DIGITS)) }
      }
    )

    return handlers.handleAll({ currenciesV2, tokenPrice, trending })
  })
).pipe(Layer.provide(inputErrors))
