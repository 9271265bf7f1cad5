/**
 * A cache of answers for a limited time: successes only, with a maximum age and number. A miss asks the source;
 * concurrent misses all ask.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** How much is kept, and for how long. */
export interface TtlCacheOptions<A> {
  /** Milliseconds; zero caches nothing. */
  readonly maxAge: number
  readonly capacity: number
  /** Which answers may be used again. All, unless given. */
  readonly keeps?: (value: A) => boolean
}

interface Kept<A> {
  /** The answer as an effect, so that a hit makes nothing new. */
  readonly value: Effect.Effect<A>
  /** Milliseconds. */
  readonly at: number
}

/** Answers from the cache, or asks. `key` identifies the question. */
export interface TtlCache<A> {
  <E, R>(key: string, ask: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
  /** The answer that is kept and fresh at `now`, in milliseconds; undefined when there is none. */
  readonly known: (key: string, now: number) => Effect.Effect<A> | undefined
}

/** An empty cache. Beyond its capacity the entry that was kept first goes. */
export const makeTtlCache = <A>({ capacity, keeps, maxAge }: TtlCacheOptions<A>): TtlCache<A> => {
  const kept = new Map<string, Kept<A>>()

  const keep = (key: string, value: A, at: number): void => {
    kept.delete(key)
    kept.set(key, { value: Effect.succeed(value), at })
    const [oldest] = kept.keys()
    if (kept.size > capacity && oldest !== undefined) kept.delete(oldest)
  }

  const known = (key: string, now: number): Effect.Effect<A> | undefined => {
    const found = kept.get(key)
    return found !== undefined && now - found.at < maxAge && found.at <= now ? found.value : undefined
  }

  const recent = <E, R>(key: string, ask: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    maxAge === 0 ? ask : Clock.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe()
      return known(key, now) ?? Effect.map(ask, (value) => {
        // The age counts from the time of asking: the answer is at least as new.
        if (keeps === undefined || keeps(value)) keep(key, value, now)
        return value
      })
    })

  return Object.assign(recent, { known })
}
