/**
 * What a stored text means, decoded once as long as the row holds that same text: a request that is polled is decoded by its
 * first poll. Not for what must be read as it is now: the text is read from the store each time, only its meaning is kept.
 */
import { Effect } from "effect"

interface Entry<A> {
  readonly text: string
  readonly meaning: A
}

/** Remembers the last `capacity` rows that were decoded; what fails is never remembered. */
export const decodedOnce = <A, E>(decode: (text: string) => Effect.Effect<A, E>, capacity: number) => {
  const entries = new Map<string, Entry<A>>()
  return (id: string, text: string): Effect.Effect<A, E> => {
    const known = entries.get(id)
    if (known?.text === text) return Effect.succeed(known.meaning)
    return Effect.tap(decode(text), (meaning) =>
      Effect.sync(() => {
        entries.delete(id)
        entries.set(id, { text, meaning })
        const [oldest] = entries.keys()
        if (entries.size > capacity && oldest !== undefined) entries.delete(oldest)
      }))
  }
}
