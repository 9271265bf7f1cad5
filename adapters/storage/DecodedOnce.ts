/**
 * What a stored text means, decoded once as long as the row holds that same text: a request that is polled is decoded
 * by its first poll. Not for what must be read as it is now: the text is read from the store each time, only its
 * meaning is kept.
 */
import { Effect } from "effect"

interface Entry<A> {
  readonly text: string
  readonly meaning: A
}

/** Bounds of what is remembered. A text may be large: requests carry calldata of their callers. */
export interface Remembering {
  readonly rows: number
  /** Of all texts together, in characters; what they mean takes a few times as much. */
  readonly characters: number
}

/** Remembers the last rows that were decoded; what fails is never remembered, nor what would take all the place. */
export const decodedOnce = <A, E>(decode: (text: string) => Effect.Effect<A, E>, bounds: Remembering) => {
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
