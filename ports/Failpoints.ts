/**
 * Named places at which a crash test may end the process: before and after every write and every broadcast.
 *
 * The default does nothing and costs nothing; only the local environment ever provides another.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** What happens at a named place. */
export type Failpoint = (name: string) => Effect.Effect<void>

export const Failpoints = Context.Reference<Failpoint>("causeway/ports/Failpoints", {
  defaultValue: () => () => Effect.void
})

/** Reaches a named place. */
export const failpoint = (name: string): Effect.Effect<void> => Effect.flatMap(Failpoints, (reach) => reach(name))
