/** `causeway-kit/adapters/prices`: the port `Prices`. */
/** Prices from a fixed table. */
export * as FixedPrices from "./FixedPrices.ts"
/** Prices from on-chain feeds, by the port `PriceFeeds`. */
export * as FeedPrices from "./FeedPrices.ts"
/** Prices of Pyth's feeds over HTTP, by the interface of Hermes. */
export * as PythPrices from "./PythPrices.ts"
