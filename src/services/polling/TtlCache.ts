/**
 * A cache of answers for a limited time: successes only, with a maximum age and number. A miss asks the source;
 * concurrent misses all ask.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

export interface TtlCacheOptions {
  /** Milliseconds; zero caches nothing. */
  readonly maxAge: number
  readonly capacity: number
}

interface Kept<A> {
  readonly value: A
  /** Milliseconds. */
  readonly at: number
}

/** `key` identifies the question. */
export const makeTtlCache = <A>({ capacity, maxAge }: TtlCacheOptions) => {
  const kept = new Map<string, Kept<A>>()

  const keep = (key: string, value: A, at: number): void => {
    kept.delete(key)
    kept.set(key, { value, at })
    const [oldest] = kept.keys()
    if (kept.size > capacity && oldest !== undefined) kept.delete(oldest)
  }

  return Effect.fnUntraced(function*<E, R>(key: string, ask: Effect.Effect<A, E, R>) {
    const now = yield* Clock.currentTimeMillis
    const known = kept.get(key)
    if (known !== undefined && now - known.at < maxAge && known.at <= now) return known.value
    const value = yield* ask
    // The age counts from the time of asking: the answer is at least as new.
    if (maxAge > 0) keep(key, value, now)
    return value
  })
}
