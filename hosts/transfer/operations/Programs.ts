/**
 * `causeway doctor`, `backup` and `restore`, with the environment of the service. What they do is loaded when they run:
 * other commands of the program need no store.
 */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { maybe, wrongUsage } from "../../cli/Program.ts"

/** Exit codes: 0 all agree, 1 a difference or a chain that could not be read. */
export const doctor = Command.make(
  "doctor",
  { since: maybe("since", "only what has happened since, or is still open: a time, or how long ago (90m, 24h, 7d)") },
  Effect.fnUntraced(function*({ since }) {
    const program = yield* Effect.promise(() => import("./Doctor.ts"))
    yield* program.doctor(since)
  })
).pipe(Command.withDescription("Compare the configuration and the store with the chains. Changes nothing"))

/** Of the embedded store only. */
export const backup = Command.make(
  "backup",
  { file: Argument.String("file").pipe(Argument.withDescription("a new file")) },
  Effect.fnUntraced(function*({ file }) {
    const { takeBackup } = yield* Effect.promise(() => import("./TakeBackup.ts"))
    yield* takeBackup(file)
  })
).pipe(Command.withDescription("Copy the embedded store to a new file while the service runs"))

/** The service then pays nothing until it knows what was paid since the backup. */
export const restore = Command.make(
  "restore",
  {
    file: Argument.String("file").pipe(Argument.withDescription("the backup"), Argument.optional),
    mark: Flag.Boolean("mark").pipe(
      Flag.withDescription("mark a PostgreSQL store that its own tools have put back"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function*({ file, mark }) {
    if (mark === Option.isSome(file)) {
      return yield* wrongUsage("name the backup, or --mark for a PostgreSQL that was put back")
    }
    const program = yield* Effect.promise(() => import("./PutBack.ts"))
    yield* Option.isSome(file) ? program.putBack(file.value) : program.mark
  })
).pipe(Command.withDescription("Put a backup in the place of the embedded store, when no process owns it"))
