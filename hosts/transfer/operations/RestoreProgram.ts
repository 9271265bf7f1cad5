/**
 * `npm run restore -- <file>`: replaces the embedded store with a backup, when no process owns it. `npm run restore --
 * --mark`: marks a PostgreSQL store that was restored with its own tools.
 */
import { Clock, Effect, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { restore } from "../../../adapters/storage/engine/Backup.ts"
import { layerDatabase } from "../../../adapters/storage/engine/Database.ts"
import { migrate } from "../../../adapters/storage/engine/Migrations.ts"
import { migrations } from "../../../adapters/storage/migrations/index.ts"
import { markRestored } from "../../../adapters/storage/operations/Restorations.ts"
import { answer, ProgramFailed, wrongUsage } from "../../cli/Program.ts"
import { read } from "../../configuration/Variables.ts"
import { variables } from "../config/Environment.ts"
import { operation, storeFile } from "./Operation.ts"

const NEXT = "start the service: it pays nothing until it knows what was paid since the backup"

const markStore = Effect.gen(function*() {
  const url = yield* read(variables.databaseUrl)
  if (Redacted.value(url).startsWith("sqlite:")) {
    return yield* new ProgramFailed({
      reason: "other-store",
      message: "an embedded store is restored from a file: npm run restore -- <file>"
    })
  }
  yield* Effect.andThen(migrate(migrations), markRestored(yield* Clock.currentTimeMillis)).pipe(
    Effect.provide(layerDatabase(url))
  )
  return yield* answer({ marked: true }, `the store is marked as restored; ${NEXT}`)
})

const restoreFile = Effect.fnUntraced(function*(source: string) {
  const replaced = yield* restore(source, yield* storeFile, migrations, yield* Clock.currentTimeMillis)
  yield* answer(
    { restored: source, replaced: replaced ?? null },
    `${source} is in place${replaced === undefined ? "" : `; the former store is ${replaced}`}; ${NEXT}`
  )
})

export const restoreProgram = Command.make(
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
      return yield* wrongUsage(
        "name the backup: npm run restore -- <file>, or --mark for a PostgreSQL that was put back"
      )
    }
    if (Option.isSome(file)) return yield* operation(restoreFile(file.value))
    return yield* operation(markStore)
  })
).pipe(Command.withDescription("Put a backup in the place of the embedded store, when no process owns it."))
