/** Time that a test tells, for laws over many days. */
import { Effect } from "effect"
import type { Clock } from "effect"

/** A clock that shows what it is told, in milliseconds, and waits for nothing. */
export const clockAt = (now: () => number): Clock.Clock => {
  const nanos = () => BigInt(now()) * 1_000_000n
  return {
    currentTimeMillis: Effect.sync(now),
    currentTimeMillisUnsafe: now,
    currentTimeNanos: Effect.sync(nanos),
    currentTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    sleep: () => Effect.void
  }
}
