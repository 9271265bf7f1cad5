/**
 * One run for each folder. A second run fails, and names the first.
 *
 * The operating system releases the lock with its process, SIGKILL included, so a held lock means a live process. A
 * process that is just ending is given a moment.
 */
import { Effect, Schedule } from "effect"
import type { Scope } from "effect"
import { acquire } from "../../../adapters/storage/engine/Lock.ts"
import { LocalnetError } from "./LocalnetError.ts"
import type { Paths } from "./state/Paths.ts"

/**
 * Takes the folder for this process until the scope closes. Fails when another process has it, and names that process.
 */
export const take = (paths: Paths): Effect.Effect<void, LocalnetError, Scope.Scope> =>
  acquire(paths.run).pipe(
    Effect.retry({
      while: (error) => error._tag === "StoreInUse",
      schedule: Schedule.spaced("250 millis"),
      times: 10
    }),
    Effect.mapError((error) =>
      new LocalnetError({
        message: error._tag === "StoreInUse"
          ? `a local network already runs in ${paths.root}` +
            `${error.ownerPid === undefined ? "" : ` (process ${error.ownerPid})`}: stop it first (Ctrl-C, or kill)`
          : `cannot lock ${paths.run}: ${error.message}; the folder must be writable by you`
      })
    )
  )
