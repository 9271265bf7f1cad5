/** `causeway-kit/adapters/prices`: the port `Prices`. */
/** Prices from a fixed table. */
export * as FixedPrices from "./FixedPrices.ts"
