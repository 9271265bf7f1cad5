/** Prices from a fixed table, for the local environment without a market. They never become stale. */
import { Effect } from "effect"
import type { PriceSource } from "../../ports/market/PriceSources.ts"
import type { Currency } from "../../src/domain/money/Currency.ts"
import type { UsdPrice } from "../../src/domain/money/Usd.ts"

export const fixedPrices = (priceOf: (currency: Currency) => UsdPrice | undefined): PriceSource => ({
  name: "fixed",
  observe: (currency) => {
    const price = priceOf(currency)
    return Effect.succeed(price === undefined ? undefined : { price, at: undefined, maxAgeSeconds: 0 })
  }
})
