/**
 * How much is too much: buckets for callers and for looking at transactions, of this process, or shared with others
 * over Redis.
 *
 * While Redis does not answer, each process limits by its own buckets: a caller then has up to a full bucket in each of
 * them, and nobody is refused for it. Buckets in memory are thrown away together now and then, since the limiter itself
 * never forgets a key; that gives a client at most one full bucket more.
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

/** A limiter of this process; fresh ones share nothing. */
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
      // Redis's client is a fifth of all that a host would load: whoever shares no limits does not wait for it.
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
