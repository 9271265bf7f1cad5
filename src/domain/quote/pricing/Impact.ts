/**
 * Price impacts as they are shown (QUOTE-3, PRICE-10): signed micro-dollars, and percents with two decimals.
 *
 * Computed from the micro-dollar values in the quote itself, so a client that adds them up gets exact sums: totalImpact
 * = out − in, swapImpact = the expanded part `swap` = minus the swap component. Before sponsorship the expanded parts
 * and rent add up to totalImpact, up to the rounding of each.
 */
import { usdFloor } from "../../money/Currency.ts"
import { formatFixed } from "../../money/Decimal.ts"
import { divTrunc } from "../../money/Rounding.ts"
import type { Usd } from "../../money/Usd.ts"
import type { Priced } from "./Pricing.ts"
import type { SwapTerms } from "./SwapCost.ts"

/** Signed micro-dollars: the precision of six decimals. */
export const toMicros = (usd: Usd): bigint => divTrunc(usd, 10n ** 12n)

/** Millionths of a dollar with six decimals, as in `amountUsd` (WIRE-2). */
export const formatMicros = (micros: bigint): string => formatFixed(micros, 6, 6)

/** `part` as a percent of `whole`, two decimals, truncated toward zero. Zero when `whole` is zero. */
export const formatPercent = (part: bigint, whole: bigint): string =>
  whole === 0n ? "0.00" : formatFixed(divTrunc(part * 10_000n, whole), 2, 2)

/** The micro-dollars that impacts are computed from. */
export interface ImpactParts {
  readonly inUsd: bigint
  readonly outUsd: bigint
  readonly execution: bigint
  readonly service: bigint
  readonly app: bigint
  readonly swap: bigint
  readonly sponsored: bigint
}

/** The micro-dollar values of a quote that impacts are made of. */
export const impactParts = (
  priced: Priced,
  { destination, origin }: Pick<SwapTerms, "destination" | "origin">
): ImpactParts => {
  const usd = (units: bigint) => toMicros(usdFloor(units, origin))
  const { amountIn, amountOut, fees, split } = priced
  return {
    inUsd: usd(amountIn),
    outUsd: toMicros(usdFloor(amountOut, destination)),
    execution: usd(fees.execution),
    service: usd(fees.service),
    app: usd(fees.app),
    swap: usd(fees.swap),
    sponsored: usd(split?.sponsoredTotal ?? 0n)
  }
}

/** Output less input, micro-dollars. */
export const totalImpactOf = (parts: ImpactParts): bigint => parts.outUsd - parts.inUsd

/**
 * The exchange's result against the market in micro-dollars, sponsored or not: negative for a loss, positive for a
 * gain.
 */
export const swapImpactOf = (parts: ImpactParts): bigint => -parts.swap

/**
 * A swapImpact worse than −10 % of the input is refused unless the request overrides it (PRICE-17); in smallest units,
 * exact.
 */
export const isSwapImpactTooHigh = ({ amountIn, fees }: Pick<Priced, "amountIn" | "fees">): boolean =>
  fees.swap * 10n > amountIn
