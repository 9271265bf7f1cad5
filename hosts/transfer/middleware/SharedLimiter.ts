/**
 * A limiter that several processes share over Redis. It fails open: it may return no verdict, and then the process
 * limits on its own.
 *
 * Redis may be missing at start, away for a while, or slow. It is connected in the background, has at most a quarter of
 * a second to answer, and is not asked for a second after a failure, so that no request waits for it twice. An outage
 * is one alarm and one log line; its end is another line. Buckets are keys that expire with their window. SECURITY: the
 * client's own warnings are not logged, because they could hold the URL.
 */
import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { Clock, Context, Deferred, Effect, Layer, Option, Redacted, References } from "effect"
import { RateLimiter } from "effect/persistence"
import { countStuck } from "../../../src/services/operations/Meters.ts"
import { take } from "./TakeTokens.ts"
import type { Bucket, Verdict } from "./TakeTokens.ts"

const ANSWER_WITHIN = "250 millis"
const REST_MS = 1_000
const CONNECT_TIMEOUT_MS = 2_000

/** Milliseconds before the next attempt to connect. */
const reconnectStrategy = (retries: number): number => Math.min(50 * 2 ** retries, 2_000)

const redis = (url: Redacted.Redacted) =>
  NodeRedis.layer({
    url: Redacted.value(url),
    // A command that cannot be sent now fails now.
    disableOfflineQueue: true,
    socket: { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy }
  })

/** The braces keep a bucket's two keys on one node of a cluster. */
const keyOf = ({ key }: Bucket): string => `{${key}}`

export const makeSharedLimiter = Effect.fnUntraced(function*(url: Redacted.Redacted) {
  const connected = yield* Deferred.make<RateLimiter.RateLimiter>()
  let limiter: RateLimiter.RateLimiter | undefined
  let isDown = false
  let restsUntil = 0

  yield* Layer.build(
    RateLimiter.layer.pipe(
      Layer.provide(RateLimiter.layerStoreRedis({ prefix: "causeway:limits:" })),
      Layer.provide(redis(url))
    )
  ).pipe(
    Effect.flatMap((context) => {
      limiter = Context.get(context, RateLimiter.RateLimiter)
      return Deferred.succeed(connected, limiter)
    }),
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.ignoreCause,
    Effect.forkScoped
  )
  // Waits briefly, so that the first request does not see it as down when it is about to answer.
  yield* Effect.timeoutOption(Deferred.await(connected), CONNECT_TIMEOUT_MS)

  const failed = Effect.gen(function*() {
    restsUntil = (yield* Clock.currentTimeMillis) + REST_MS
    if (isDown) return
    isDown = true
    yield* countStuck("redis")
    yield* Effect.logError("Redis does not answer: each process applies rate limits by itself until it does")
  })

  const answered = Effect.suspend(() => {
    if (!isDown) return Effect.void
    isDown = false
    return Effect.logInfo("Redis answers again: rate limits are shared")
  })

  return {
    /** None while Redis does not answer. */
    take: Effect.fnUntraced(function*(bucket: Bucket) {
      if ((yield* Clock.currentTimeMillis) < restsUntil) return Option.none<Verdict>()
      const asked = limiter === undefined
        ? Effect.succeed(Option.none<Verdict>())
        : take(limiter, { ...bucket, key: keyOf(bucket) }).pipe(Effect.timeout(ANSWER_WITHIN), Effect.option)
      const verdict = yield* asked
      yield* Option.isSome(verdict) ? answered : failed
      return verdict
    })
  }
})
