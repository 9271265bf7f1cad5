/**
 * A cache of answers for a limited time: successes only, with a maximum age and number. A miss asks the source;
 * concurrent misses all ask. Whoever asks for an answer past three quarters of its age still gets it, and the source is asked once
 * more meanwhile: so nobody waits for an answer that is asked for all the time, and none is used beyond its age.
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
  /** The source is asked for the next one, or has failed to give one. */
  isRenewed: boolean
}

/** Answers from the cache, or asks. `key` identifies the question. */
export interface TtlCache<A> {
  <E, R>(key: string, ask: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
  /**
   * The answer that is kept and fresh at `now`, in milliseconds; undefined when there is none, or when the next one has
   * to be asked for.
   */
  readonly known: (key: string, now: number) => Effect.Effect<A> | undefined
}

/** An empty cache. Beyond its capacity the entry that was kept first goes. */
export const makeTtlCache = <A>({ capacity, keeps, maxAge }: TtlCacheOptions<A>): TtlCache<A> => {
  const kept = new Map<string, Kept<A>>()

  const keep = (key: string, value: A, at: number): void => {
    kept.delete(key)
    kept.set(key, { value: Effect.succeed(value), at, isRenewed: false })
    const [oldest] = kept.keys()
    if (kept.size > capacity && oldest !== undefined) kept.delete(oldest)
  }

  const fresh = (key: string, now: number): Kept<A> | undefined => {
    const found = kept.get(key)
    return found !== undefined && now - found.at < maxAge && found.at <= now ? found : undefined
  }

  const isDue = ({ at, isRenewed }: Kept<A>, now: number): boolean => !isRenewed && (now - at) * 4 >= maxAge * 3

  const known = (key: string, now: number): Effect.Effect<A> | undefined => {
    const found = fresh(key, now)
    return found === undefined || isDue(found, now) ? undefined : found.value
  }

  const recent = <E, R>(key: string, ask: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    maxAge === 0 ? ask : Clock.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe()
      const asked = Effect.map(ask, (value) => {
        // The age counts from the time of asking: the answer is at least as new.
        if (keeps === undefined || keeps(value)) keep(key, value, now)
        return value
      })
      const found = fresh(key, now)
      if (found === undefined) return asked
      if (!isDue(found, now)) return found.value
      found.isRenewed = true
      // A failure shows when the answer is too old. A client that leaves does not end what others will use.
      return Effect.andThen(Effect.forkDetach(asked), found.value)
    })

  return Object.assign(recent, { known })
}
