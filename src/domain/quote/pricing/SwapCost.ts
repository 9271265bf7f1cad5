/**
 * What exchanging one currency for the other costs, as a share of the input and a flat part (PRICE-4).
 *
 * Market value less what the source gives, the spread of inventory, what a fixed rate costs us, and rebalancing. The
 * share may be negative: a source that gives more than the market. Exact until `feesAt` rounds it.
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
   * What it costs, smallest units of the origin currency, where that is known to the unit: flat then, and no share of
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
   * What the source gives; the market rate without one. Its loss is taken as proportional: ask again for another
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

/** What the fixed rate gives beyond the market; nothing when it gives less, for a gain of ours is no cost. */
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

/** All that the exchange loses against the market, whoever pays it, as a share of the input. */
export const lostShare = (terms: SwapTerms): Fraction =>
  add(add({ numerator: terms.spreadBps, denominator: WHOLE_BPS }, sourceLoss(terms)), fixedRateCost(terms))

/** The proportional part of the swap component, exact, as a share of the input. */
export const swapShare = (terms: SwapTerms): Fraction =>
  terms.source?.cost === undefined ? lostShare(terms) : lostShare({ ...terms, source: undefined })

/**
 * True when the fixed rate gives the user more than the market: a cost that a sponsor must bear wholly (REQUEST-26).
 */
export const isFixedRateCostly = (terms: SwapTerms): boolean => compare(fixedRateCost(terms), zero) > 0n
