/**
 * What a process remembers of rows that rarely change: read again after each notice of their topic (`StoreNotices`), and
 * after `SlowPoll`. A store's adapter makes one for each such read.
 *
 * SECURITY: what is remembered may be as old as `SlowPoll`. Money moves by what the store says.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** A read, and what is remembered of it. */
export interface RecentRead<A, E> {
  /** Reads the store, and remembers the answer. */
  readonly fresh: Effect.Effect<A, E>
  /** What is remembered. Reads the store if that is too old, or if there is nothing. */
  readonly recent: Effect.Effect<A, E>
  /** Called once a write of this process is committed: its notice may come later, or it gives none. */
  readonly forget: () => void
}

/** `heard`: how many notices of the topic were heard. `read`: with the time in milliseconds. */
export const makeRecentRead = <A, E>(
  slowPoll: Duration.Duration,
  heard: Effect.Effect<number>,
  read: (now: number) => Effect.Effect<A, E>
): RecentRead<A, E> => {
  const mostAge = Duration.toMillis(slowPoll)

  /** `readAt` is when the read began, in milliseconds, and `noted` the notices that were heard by then. */
  let known: { readonly value: A; readonly readAt: number; readonly noted: number } | undefined
  let writes = 0

  // Every quote asks for pauses: so it takes as few steps as it can.
  const fresh = Clock.clockWith((clock) => {
    const readAt = clock.currentTimeMillisUnsafe()
    const before = writes
    return Effect.flatMap(heard, (noted) =>
      Effect.mapEager(read(readAt), (value) => {
        // A read that was under way at a write may not have seen it.
        if (before === writes && (known === undefined || known.readAt <= readAt)) known = { value, readAt, noted }
        return value
      }))
  })

  const recent = Clock.clockWith((clock) => {
    const now = clock.currentTimeMillisUnsafe()
    return Effect.flatMap(heard, (noted) => {
      const age = known === undefined ? -1 : now - known.readAt
      return known !== undefined && age >= 0 && age < mostAge && known.noted === noted
        ? Effect.succeed(known.value)
        : fresh
    })
  })

  return {
    fresh,
    recent,
    forget: () => {
      writes += 1
      known = undefined
    }
  }
}
