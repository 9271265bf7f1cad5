/**
 * One price from several sources (PRICE-19): fresh, from as many sources as required, and close together.
 *
 * Pure: ages are compared with a given time. Adapters read the prices.
 */
import * as Result from "effect/Result"
import { WHOLE_BPS } from "../money/Bps.ts"
import type { Bps } from "../money/Bps.ts"
import type { UsdPrice } from "../money/Usd.ts"

/** The price of one source. */
export interface PriceObservation {
  readonly price: UsdPrice
  /**
   * The time of the price according to the source, in seconds since 1970. Undefined for a source that does not age (a
   * fixed table).
   */
  readonly at: number | undefined
  /** Beyond this age it is stale. By default the source's own heartbeat plus a tenth. */
  readonly maxAgeSeconds: number
}

/** `missing`: too few sources. `stale`: too few fresh ones. `disagreeing`: further apart than tolerated. */
export type PriceRefusal = "missing" | "stale" | "disagreeing"

/** When sources agree (PRICE-19). */
export interface PriceRule {
  /** How many fresh sources are required: two outside of the local environment. */
  readonly required: number
  /** How far apart the sources may be, relative to the lower one. */
  readonly tolerance: Bps
}

/** The age at which a source is stale that publishes every `heartbeat` seconds. */
export const maxAgeOfHeartbeat = (heartbeatSeconds: number): number => Math.ceil(heartbeatSeconds * 1.1)

const isFresh = (now: number) => ({ at, maxAgeSeconds, price }: PriceObservation): boolean =>
  price > 0n && (at === undefined || now - at <= maxAgeSeconds)

/** The price of the first fresh source, when enough other sources agree with it. `now` in seconds. */
export const agreeOnPrice = (
  observations: ReadonlyArray<PriceObservation>,
  now: number,
  { required, tolerance }: PriceRule
): Result.Result<UsdPrice, PriceRefusal> => {
  if (observations.length < required) return Result.fail("missing")
  const fresh = observations.filter(isFresh(now)).map(({ price }) => price)
  const [first] = fresh
  if (first === undefined || fresh.length < required) return Result.fail("stale")
  const lowest = fresh.reduce((a, b) => (b < a ? b : a))
  const highest = fresh.reduce((a, b) => (b > a ? b : a))
  return (highest - lowest) * WHOLE_BPS > lowest * tolerance ? Result.fail("disagreeing") : Result.succeed(first)
}
