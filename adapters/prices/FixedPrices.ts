/** Prices from a fixed table: for the local environment, where nothing trades. */
import { Effect, Layer } from "effect"
import { Prices, PriceUnavailable } from "../../ports/Prices.ts"
import type { Currency } from "../../src/domain/money/Currency.ts"
import type { UsdPrice } from "../../src/domain/money/Usd.ts"

export const layer = (priceOf: (currency: Currency) => UsdPrice | undefined) =>
  Layer.succeed(
    Prices,
    Prices.of({
      priceOf: (currency) => {
        const price = priceOf(currency)
        return price === undefined
          ? Effect.fail(new PriceUnavailable({ symbol: currency.symbol }))
          : Effect.succeed({ currency, price })
      }
    })
  )
