/**
 * Keeps the state of something that runs in this process in a file: written at once, every second in which it has
 * changed, and at the end. SIGKILL loses at most that second.
 */
import { Effect, Schedule } from "effect"
import type { Scope } from "effect"
import { write } from "./AtomicFile.ts"
import type { LocalnetError } from "../LocalnetError.ts"

/**
 * Errors: those of the first write. A failed later write is a defect, because the running state could not be continued.
 */
export const keep = (path: string, state: () => string): Effect.Effect<void, LocalnetError, Scope.Scope> => {
  let written: string | undefined
  const save = Effect.suspend(() => {
    const stands = state()
    return stands === written ? Effect.void : Effect.tap(write(path, `${stands}\n`), () =>
      Effect.sync(() => {
        written = stands
      }))
  })
  return Effect.acquireRelease(save, () => Effect.orDie(save)).pipe(
    Effect.andThen(Effect.forkScoped(Effect.schedule(Effect.orDie(save), Schedule.spaced("1 second")))),
    Effect.asVoid
  )
}
