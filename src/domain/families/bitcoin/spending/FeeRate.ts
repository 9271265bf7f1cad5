/**
 * Fee rates, and which one a transaction offers: what the node estimates, bounded below by what nodes relay and above by
 * what is configured (BITCOIN-7).
 *
 * SECURITY: a fee is lost money, and whoever tells the estimate decides it. So the rate is within a factor of what node
 * and explorer tell, each of them, and nothing exceeds the ceiling.
 */
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import { divCeil } from "../../../money/Rounding.ts"

/** Satoshi for a thousand virtual bytes: the unit of Core's estimates, without their decimals. */
export type FeeRate = bigint & Brand.Brand<"FeeRate">
export const FeeRate = Brand.nominal<FeeRate>()

/** 0.1 satoshi a virtual byte: below it no node of any release relays. */
export const LEAST_FEE_RATE = FeeRate(100n)

/**
 * 2,000 satoshi a virtual byte: above every block that was ever mined, and below the 5,000 at which wallets refuse to
 * sign. A configured ceiling is never above it.
 */
export const MOST_FEE_RATE = FeeRate(2_000_000n)

/**
 * One satoshi a virtual byte. Estimates below it do not disagree: older explorers never tell less, nodes since Core 29.1
 * do, and what a wrong one costs is next to nothing. Multiples of a rate below it are multiples of this (BITCOIN-11,
 * BITCOIN-19): a replacement adds as much, so that ten times 0.1 would allow none.
 */
const UNDISPUTED = FeeRate(1_000n)

/** Satoshi, rounded up as nodes do. */
export const feeOf = (rate: FeeRate, virtualBytes: number): bigint => divCeil(rate * BigInt(virtualBytes), 1_000n)

/** What is known of the current rates. An estimate is undefined when its source has none. */
export interface FeeReadings {
  readonly node: FeeRate | undefined
  readonly explorer: FeeRate | undefined
  /** `mempoolminfee`: below it the node forgets a transaction. */
  readonly floor: FeeRate
}

/** The configured limits of BITCOIN-7. */
export interface FeeBounds {
  readonly ceiling: FeeRate
  /** The rate is at most this many times an estimate, and at least that part of it. */
  readonly agreeWithin: bigint
}

/** Why no rate is used (BITCOIN-7). Unknown: neither source has an estimate. Disagree: no rate is near both. */
export type NoFeeRate =
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "Disagree"; readonly node: FeeRate; readonly explorer: FeeRate }
  | { readonly _tag: "AboveCeiling"; readonly wanted: FeeRate }

const max = (one: FeeRate, ...others: ReadonlyArray<FeeRate>): FeeRate =>
  others.reduce((most, each) => each > most ? each : most, one)

/** What multiples of a rate count from: below one satoshi a virtual byte, that. */
export const countedRate = (rate: FeeRate): FeeRate => max(rate, UNDISPUTED)

/**
 * The node's estimate, else the explorer's; never below the floor. Where one of them is below one satoshi a virtual
 * byte, the higher counts: a payment at a rate that is too low waits, and holds its coins.
 *
 * Where they are further apart, the factor times the lower, as long as that is near the higher, too (BITCOIN-24): nodes
 * since Core 32 lower their estimate to what waits in their pool. Older ones, from which explorers have theirs, tell
 * several times as much for hours after fees have fallen.
 */
export const chooseFeeRate = (
  { explorer, floor, node }: FeeReadings,
  { agreeWithin, ceiling }: FeeBounds
): Result.Result<FeeRate, NoFeeRate> => {
  const estimate = node ?? explorer
  if (estimate === undefined) return Result.fail({ _tag: "Unknown" })
  const other = explorer ?? estimate
  const [low, high] = estimate < other ? [estimate, other] : [other, estimate]
  const between = FeeRate(countedRate(low) * agreeWithin)
  if (high > between * agreeWithin) return Result.fail({ _tag: "Disagree", node: estimate, explorer: other })
  const agreed = low < UNDISPUTED ? high : estimate
  const wanted = max(high > between ? between : agreed, floor, LEAST_FEE_RATE)
  return wanted > ceiling || wanted > MOST_FEE_RATE
    ? Result.fail({ _tag: "AboveCeiling", wanted })
    : Result.succeed(wanted)
}
