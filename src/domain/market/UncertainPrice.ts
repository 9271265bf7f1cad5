/**
 * A price as a source states it that publishes how uncertain it is (PRICE-24). Whether it counts is decided here; adapters
 * read it.
 */
import { WHOLE_BPS } from "../money/Bps.ts"
import type { Bps } from "../money/Bps.ts"
import { USD_PRICE_DIGITS, UsdPrice } from "../money/Usd.ts"
import type { PriceObservation } from "./AgreeOnPrice.ts"

/** Dollars of one whole unit: `price` and `confidence` times ten to the power of `exponent`. */
export interface UncertainPrice {
  readonly price: bigint
  /** Half of the interval in which the price lies. */
  readonly confidence: bigint
  /** At least -USD_PRICE_DIGITS. */
  readonly exponent: number
  /** Seconds since 1970, by the source's clock. */
  readonly at: number
}

/** When a price with a confidence interval counts (PRICE-24). */
export interface UncertainPriceRule {
  /** An older price is stale. */
  readonly maxAgeSeconds: number
  /** A price whose confidence interval is wider, relative to the price, is not used. */
  readonly maxConfidence: Bps
}

/** How far the source's clock may be ahead of ours. A price of the future would never become stale. */
const MOST_AHEAD_SECONDS = 60

/** Undefined for a price that is zero, too uncertain, or of the future. `now` in seconds. */
export const observedPrice = (
  { maxAgeSeconds, maxConfidence }: UncertainPriceRule,
  { at, confidence, exponent, price }: UncertainPrice,
  now: number
): PriceObservation | undefined =>
  price === 0n || confidence * WHOLE_BPS > price * maxConfidence || at - now > MOST_AHEAD_SECONDS
    ? undefined
    : { price: UsdPrice(price * 10n ** BigInt(USD_PRICE_DIGITS + exponent)), at, maxAgeSeconds }
