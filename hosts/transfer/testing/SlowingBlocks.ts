/**
 * Blocks that come fast at first, and ever slower for as long as somebody waits for them. A host reads a node at one
 * head, and on a busy machine it could never do so while blocks kept coming fast.
 */
import { Effect, Schedule } from "effect"

/** Never ends. The pause between two blocks grows by a 25th each time: to a second within 20 seconds. */
export const slowingBlocks = <A, E, R>(mine: Effect.Effect<A, E, R>): Effect.Effect<never, E, R> =>
  Effect.sleep("250 millis").pipe(
    Effect.andThen(Effect.repeat(mine, Schedule.exponential("250 millis", 1.04))),
    Effect.andThen(Effect.never)
  )
