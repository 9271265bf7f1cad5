/**
 * Price impacts as they are shown (spec/3 §3a, §4): signed micro-dollars and percents of two decimals.
 *
 * Computed from the micro-dollar values that the quote itself shows, so that whoever adds up the answer finds the sums
 * exact: totalImpact = out − in, swapImpact = totalImpact + relayer + app, the expanded parts add up to totalImpact.
 */
import { formatFixed } from "../money/Decimal.ts"
import { divTrunc } from "../money/Rounding.ts"
import type { Usd } from "../money/Usd.ts"

/** Micro-dollars, signed: what six decimals can show. */
export const toMicros = (usd: Usd): bigint => divTrunc(usd, 10n ** 12n)

export const formatMicros = (micros: bigint): string => formatFixed(micros, 6, 6)

/** `part` as a percent of `whole`, two decimals, truncated toward zero; zero of nothing is zero. */
export const formatPercent = (part: bigint, whole: bigint): string =>
  whole === 0n ? "0.00" : formatFixed(divTrunc(part * 10_000n, whole), 2, 2)

export interface ImpactParts {
  readonly inUsd: bigint
  readonly outUsd: bigint
  readonly execution: bigint
  readonly service: bigint
  readonly rent: bigint
  readonly app: bigint
  readonly relayer: bigint
  readonly sponsored: bigint
}

export const totalImpactOf = (parts: ImpactParts): bigint => parts.outUsd - parts.inUsd

export const swapImpactOf = (parts: ImpactParts): bigint => totalImpactOf(parts) + parts.relayer + parts.app

/** What of the total is neither execution nor service nor app: the market's, the spread's and the roundings' part. */
export const swapPartOf = (parts: ImpactParts): bigint =>
  totalImpactOf(parts) + parts.execution + parts.service + parts.app

/** Worse than −10 % of the input is refused unless the request overrides it (spec/3 §4). */
export const isSwapImpactTooHigh = (parts: ImpactParts): boolean => swapImpactOf(parts) * 10n < -parts.inUsd
