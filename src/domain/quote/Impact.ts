/**
 * Price impacts as they are shown (spec/3 §3a, §4): signed micro-dollars and percents of two decimals.
 *
 * Computed from the micro-dollar values that the quote itself shows, so that whoever adds up the answer finds the sums
 * exact: totalImpact = out − in, swapImpact = totalImpact + relayer + app, the expanded parts add up to totalImpact.
 */
import { usdFloor } from "../money/Currency.ts"
import { formatFixed } from "../money/Decimal.ts"
import { divTrunc } from "../money/Rounding.ts"
import type { Usd } from "../money/Usd.ts"
import { relayerFee } from "./Fees.ts"
import type { Priced } from "./Pricing.ts"
import { lostShare } from "./SwapCost.ts"
import type { SwapTerms } from "./SwapCost.ts"

/** Micro-dollars, signed: what six decimals can show. */
export const toMicros = (usd: Usd): bigint => divTrunc(usd, 10n ** 12n)

export const formatMicros = (micros: bigint): string => formatFixed(micros, 6, 6)

/** `part` as a percent of `whole`, two decimals, truncated toward zero; zero of nothing is zero. */
export const formatPercent = (part: bigint, whole: bigint): string =>
  whole === 0n ? "0.00" : formatFixed(divTrunc(part * 10_000n, whole), 2, 2)

/** The micro-dollars that impacts are computed from. */
export interface ImpactParts {
  readonly inUsd: bigint
  readonly outUsd: bigint
  readonly execution: bigint
  readonly service: bigint
  readonly app: bigint
  readonly relayer: bigint
  readonly sponsored: bigint
}

/** The micro-dollar values of a quote that impacts are made of. */
export const impactParts = (priced: Priced, { destination, origin }: Pick<SwapTerms, "destination" | "origin">): ImpactParts => {
  const usd = (units: bigint) => toMicros(usdFloor(units, origin))
  const { amountIn, amountOut, fees, split } = priced
  return {
    inUsd: usd(amountIn),
    outUsd: toMicros(usdFloor(amountOut, destination)),
    execution: usd(fees.execution),
    service: usd(fees.service),
    app: usd(fees.app),
    relayer: usd(relayerFee(fees)),
    sponsored: usd(split?.sponsoredTotal ?? 0n)
  }
}

/** Micro-dollars that come out less those that go in. */
export const totalImpactOf = (parts: ImpactParts): bigint => parts.outUsd - parts.inUsd

/** Micro-dollars that the swap loses: the total without relayer and app fees. */
export const swapImpactOf = (parts: ImpactParts): bigint => totalImpactOf(parts) + parts.relayer + parts.app

/** What of the total is neither execution nor service nor app: the market's, the spread's and the roundings' part. */
export const swapPartOf = (parts: ImpactParts): bigint =>
  totalImpactOf(parts) + parts.execution + parts.service + parts.app

/**
 * Worse than −10 % of the input is refused unless the request overrides it (spec/3 §4).
 * swapImpact adds the swap component back and so cannot see what a source loses: the share that the swap costs, whoever pays
 * it, counts as well.
 */
export const isSwapImpactTooHigh = (parts: ImpactParts, terms: SwapTerms): boolean => {
  const { denominator, numerator } = lostShare(terms)
  return swapImpactOf(parts) * 10n < -parts.inUsd || numerator * 10n > denominator
}
