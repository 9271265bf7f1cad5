/**
 * The cost of exchanging one currency for the other, as a share of the input and a flat part (PRICE-4).
 *
 * It is the market value less what the source gives, plus the spread of inventory, the cost of a fixed rate, and
 * rebalancing. The share is negative when a source gives more than the market. Exact until `feesAt` rounds it.
 */
import type { Bps } from "../../money/Bps.ts"
import { WHOLE_BPS } from "../../money/Bps.ts"
import type { PricedCurrency } from "../../money/Currency.ts"
import { marketRate } from "../../money/Currency.ts"
import { add, compare, one, subtract, zero } from "../../money/Fraction.ts"
import type { Fraction } from "../../money/Fraction.ts"
import type { FixedRate } from "./FixedRate.ts"
import { unitRate } from "./FixedRate.ts"

/**
 * A swap source's answer: for `amountIn` smallest units of the origin currency it gives `amountOut` of the
 * destination's.
 */
export interface SourceQuote {
  readonly amountIn: bigint
  readonly amountOut: bigint
  /**
   * The cost in smallest units of the origin currency, where it is known to the unit: it is then flat, not a share of
   * the input.
   */
  readonly cost?: bigint
}

/** The facts of an exchange between two currencies. */
export interface SwapTerms {
  readonly origin: PricedCurrency
  readonly destination: PricedCurrency
  /** What unlike assets from inventory cost on top of the market rate. */
  readonly spreadBps: Bps
  /**
   * The source's quote; without one, the market rate. Its loss is assumed to be proportional: ask again for another
   * amount.
   */
  readonly source?: SourceQuote | undefined
  readonly fixedRate?: FixedRate | undefined
}

const sourceLoss = ({ destination, origin, source }: SwapTerms): Fraction =>
  source === undefined || source.amountIn <= 0n
    ? zero
    : subtract(
      one,
      ratio({ numerator: source.amountOut, denominator: source.amountIn }, marketRate(origin, destination))
    )

/** What the fixed rate gives above the market; zero when it gives less, because a gain of ours is not a cost. */
const fixedRateCost = ({ destination, fixedRate, origin }: SwapTerms): Fraction => {
  if (fixedRate === undefined) return zero
  const over = subtract(
    ratio(unitRate(fixedRate, origin.currency, destination.currency), marketRate(origin, destination)),
    one
  )
  return over.numerator > 0n ? over : zero
}

const ratio = (a: Fraction, b: Fraction): Fraction => ({
  numerator: a.numerator * b.denominator,
  denominator: a.denominator * b.numerator
})

/** The exchange's whole loss against the market, sponsored or not, as a share of the input. */
export const lostShare = (terms: SwapTerms): Fraction =>
  add(add({ numerator: terms.spreadBps, denominator: WHOLE_BPS }, sourceLoss(terms)), fixedRateCost(terms))

/** The proportional part of the swap component, exact, as a share of the input. */
export const swapShare = (terms: SwapTerms): Fraction =>
  terms.source?.cost === undefined ? lostShare(terms) : lostShare({ ...terms, source: undefined })

/**
 * True when the fixed rate gives the user more than the market: a cost that a sponsor must pay in full (REQUEST-26).
 */
export const isFixedRateCostly = (terms: SwapTerms): boolean => compare(fixedRateCost(terms), zero) > 0n
