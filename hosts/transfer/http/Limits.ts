/**
 * How much is too much: one limiter of this process, for client addresses and for looking at transactions.
 *
 * Buckets live in memory and are thrown away together now and then, since the limiter itself never forgets a key; that
 * gives a client at most one full bucket more.
 */
import { Context, Duration, Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"

export interface Bucket {
  readonly key: string
  readonly limit: number
  readonly window: Duration.Input
}

export interface Verdict {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Seconds until there is room again when refused, until the bucket is full otherwise. */
  readonly seconds: number
}

export class Limits extends Context.Service<Limits, {
  readonly take: (bucket: Bucket) => Effect.Effect<Verdict>
}>()("causeway/transfer/Limits") {}

const FORGET_AFTER = Duration.minutes(10)

const seconds = (duration: Duration.Duration): number => Math.ceil(Duration.toSeconds(duration))

export const layer = Layer.effect(
  Limits,
  Effect.gen(function*() {
    const fresh = Effect.scoped(Effect.map(
      Layer.build(RateLimiter.layer.pipe(Layer.provide(RateLimiter.layerStoreMemory))),
      (context) => Context.get(context, RateLimiter.RateLimiter)
    ))
    const current = yield* Effect.cachedWithTTL(fresh, FORGET_AFTER)

    const take = Effect.fnUntraced(function*({ key, limit, window }: Bucket) {
      const limiter = yield* current
      return yield* limiter.consume({ algorithm: "token-bucket", key, limit, window }).pipe(
        Effect.map(({ remaining, resetAfter }): Verdict => ({ allowed: true, limit, remaining: Math.floor(remaining), seconds: seconds(resetAfter) })),
        Effect.catch(({ reason }) =>
          reason._tag === "RateLimitExceeded"
            ? Effect.succeed<Verdict>({ allowed: false, limit, remaining: 0, seconds: seconds(reason.retryAfter) })
            : Effect.die(reason))
      )
    })
    return Limits.of({ take })
  })
)
