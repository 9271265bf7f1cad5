/** Prices from on-chain feeds, on chains of any family. */
import { Effect } from "effect"
import type { PriceFeed, PriceFeeds } from "../../ports/market/PriceFeeds.ts"
import type { PriceSource } from "../../ports/market/PriceSources.ts"
import type { Currency } from "../../src/domain/money/Currency.ts"

/** `feedOf`: the feed of a currency. Undefined when it has none. */
export const feedPrices = (
  feeds: PriceFeeds["Service"],
  feedOf: (currency: Currency) => PriceFeed | undefined
): PriceSource => ({
  name: "chainlink",
  observe: (currency) => {
    const feed = feedOf(currency)
    return feed === undefined ? Effect.succeed(undefined) : feeds.latest(feed)
  }
})
