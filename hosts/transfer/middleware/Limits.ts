/**
 * Rate limits: buckets for callers and for reading transactions, of this process, or shared with others over Redis.
 *
 * While Redis does not answer, each process limits with its own buckets: a caller then has up to a full bucket in each
 * process, and Redis's outage refuses no request. Buckets in memory are all dropped from time to time, because the
 * limiter itself never removes a key. That gives a client at most one more full bucket.
 */
import { Context, Duration, Effect, Layer, Option } from "effect"
import type { Redacted } from "effect"
import { RateLimiter } from "effect/persistence"
import { take } from "./TakeTokens.ts"
import type { Bucket, Verdict } from "./TakeTokens.ts"

export type { Bucket, Verdict } from "./TakeTokens.ts"

export class Limits extends Context.Service<Limits, {
  readonly take: (bucket: Bucket) => Effect.Effect<Verdict>
}>()("causeway/transfer/Limits") {}

const FORGET_AFTER = Duration.minutes(10)

/** A limiter of this process. Fresh limiters share nothing. */
const fresh = Effect.scoped(Effect.map(
  Layer.build(Layer.fresh(RateLimiter.layer.pipe(Layer.provide(RateLimiter.layerStoreMemory)))),
  (context) => Context.get(context, RateLimiter.RateLimiter)
))

export const layer = (redisUrl: Redacted.Redacted | undefined) =>
  Layer.effect(
    Limits,
    Effect.gen(function*() {
      const current = yield* Effect.cachedWithTTL(fresh, FORGET_AFTER)
      const own = (bucket: Bucket) => Effect.flatMap(current, (limiter) => Effect.orDie(take(limiter, bucket)))
      if (redisUrl === undefined) return Limits.of({ take: own })
      // Redis's client is a fifth of all that a host would load, so it is loaded only when limits are shared.
      const { makeSharedLimiter } = yield* Effect.promise(() => import("./SharedLimiter.ts"))
      const shared = yield* makeSharedLimiter(redisUrl)
      return Limits.of({
        take: (bucket) =>
          Effect.flatMap(
            shared.take(bucket),
            Option.match({ onNone: () => own(bucket), onSome: (verdict) => Effect.succeed(verdict) })
          )
      })
    })
  )
