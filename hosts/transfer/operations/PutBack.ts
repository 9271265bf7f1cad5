/** Replaces the embedded store with a backup, or marks a PostgreSQL store that was restored with its own tools. */
import { Clock, Effect, Redacted } from "effect"
import { restore } from "../../../adapters/storage/engine/Backup.ts"
import { layerDatabase } from "../../../adapters/storage/engine/Database.ts"
import { migrate } from "../../../adapters/storage/engine/Migrations.ts"
import { migrations } from "../../../adapters/storage/migrations/index.ts"
import { markRestored } from "../../../adapters/storage/operations/Restorations.ts"
import { answer, ProgramFailed } from "../../cli/Program.ts"
import { read } from "../../configuration/Variables.ts"
import { variables } from "../config/Environment.ts"
import { operation, storeFile } from "./Operation.ts"

const NEXT = "start the service: it pays nothing until it knows what was paid since the backup"

const markStore = Effect.gen(function*() {
  const url = yield* read(variables.databaseUrl)
  if (Redacted.value(url).startsWith("sqlite:")) {
    return yield* new ProgramFailed({
      reason: "other-store",
      message: "an embedded store is restored from a file: npx causeway restore <file>"
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

/** Fails while a process owns the store. */
export const putBack = (source: string) => operation(restoreFile(source))

/** Fails for an embedded store, which `putBack` marks itself. */
export const mark = operation(markStore)
