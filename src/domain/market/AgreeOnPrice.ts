/**
 * One price out of what several sources say (PRICE-19): fresh, from as many sources as are required, close together.
 *
 * Pure: ages are compared with a time that is given. Not for reading prices: that is an adapter's.
 */
import * as Result from "effect/Result"
import { WHOLE_BPS } from "../money/Bps.ts"
import type { Bps } from "../money/Bps.ts"
import type { UsdPrice } from "../money/Usd.ts"

export interface PriceObservation {
  readonly price: UsdPrice
  /**
   * Seconds since 1970 at which the source says it was so; undefined for a source that does not age (a fixed table).
   */
  readonly at: number | undefined
  /** Older than this it is stale: the source's own heartbeat and a tenth of it, unless configured. */
  readonly maxAgeSeconds: number
}

/** `missing`: too few sources; `stale`: too few fresh ones; `disagreeing`: further apart than is tolerated. */
export type PriceRefusal = "missing" | "stale" | "disagreeing"

export interface PriceRule {
  /** How many fresh sources must be there: two outside of the local environment. */
  readonly required: number
  /** How far apart the sources may be, of the lower one. */
  readonly tolerance: Bps
}

/** The age at which a source that publishes every `heartbeat` seconds is stale. */
export const maxAgeOfHeartbeat = (heartbeatSeconds: number): number => Math.ceil(heartbeatSeconds * 1.1)

const isFresh = (now: number) => ({ at, maxAgeSeconds, price }: PriceObservation): boolean =>
  price > 0n && (at === undefined || now - at <= maxAgeSeconds)

/** The price of the first fresh source, when enough others agree with it. `now` in seconds. */
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
