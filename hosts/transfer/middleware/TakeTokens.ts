/** Takes one token of a bucket, with any of Effect's limiters. */
import { Duration, Effect } from "effect"
import type { RateLimiter } from "effect/persistence"

export interface Bucket {
  readonly key: string
  readonly limit: number
  readonly window: Duration.Input
}

export interface Verdict {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** When refused: seconds until there is room. Otherwise: seconds until the bucket is full. */
  readonly seconds: number
}

const seconds = (duration: Duration.Duration): number => Math.ceil(Duration.toSeconds(duration))

/** Fails only when the limiter's store fails. */
export const take = (
  limiter: RateLimiter.RateLimiter,
  { key, limit, window }: Bucket
): Effect.Effect<Verdict, RateLimiter.RateLimitStoreError> =>
  limiter.consume({ algorithm: "token-bucket", key, limit, window }).pipe(
    Effect.map(({ remaining, resetAfter }): Verdict => ({
      allowed: true,
      limit,
      remaining: Math.floor(remaining),
      seconds: seconds(resetAfter)
    })),
    Effect.catch(({ reason }) =>
      reason._tag === "RateLimitExceeded"
        ? Effect.succeed<Verdict>({ allowed: false, limit, remaining: 0, seconds: seconds(reason.retryAfter) })
        : Effect.fail(reason)
    )
  )
