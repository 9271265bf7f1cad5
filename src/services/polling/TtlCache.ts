/**
 * Answers of the world that are taken again while they are recent: successes only, each for so long, and not more than
 * so many. Whoever asks while there is none asks the world; several may at once.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

export interface TtlCacheOptions {
  /** Milliseconds; zero keeps nothing. */
  readonly maxAge: number
  readonly capacity: number
}

interface Kept<A> {
  readonly value: A
  /** Milliseconds. */
  readonly at: number
}

/** The answer to the question that `key` tells from all others. */
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
    // Counted from when it was asked: the answer is at least as new.
    if (maxAge > 0) keep(key, value, now)
    return value
  })
}
