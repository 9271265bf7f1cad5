/**
 * Caches the decoded value of a stored text, for as long as the row holds that same text: a request that is polled is
 * decoded only at its first poll. The text itself is read from the store each time, so the value is never stale.
 */
import { Effect } from "effect"

interface Entry<A> {
  readonly text: string
  readonly meaning: A
}

/** Bounds of the cache. A text may be large: requests carry their callers' calldata. */
export interface DecodeCacheOptions {
  readonly rows: number
  /** Over all texts together, in characters. The decoded values take a few times as much memory. */
  readonly characters: number
}

/** Caches the last rows that were decoded. Failures are never cached, nor a text that would exceed the whole cache. */
export const makeDecodeCache = <A, E>(decode: (text: string) => Effect.Effect<A, E>, bounds: DecodeCacheOptions) => {
  const entries = new Map<string, Entry<A>>()
  let characters = 0
  const forget = (id: string): void => {
    characters -= entries.get(id)?.text.length ?? 0
    entries.delete(id)
  }
  return (id: string, text: string): Effect.Effect<A, E> => {
    const known = entries.get(id)
    if (known?.text === text) return Effect.succeed(known.meaning)
    return Effect.tap(decode(text), (meaning) =>
      Effect.sync(() => {
        forget(id)
        if (text.length > bounds.characters) return
        entries.set(id, { text, meaning })
        characters += text.length
        for (const oldest of entries.keys()) {
          if (entries.size <= bounds.rows && characters <= bounds.characters) return
          forget(oldest)
        }
      }))
  }
}
