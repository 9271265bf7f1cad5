/**
 * `npm run restore -- <file>`: puts a backup in the place of the embedded store, when no process owns it.
 * `npm run restore -- --mark`: marks a PostgreSQL store that was put back by its own tools.
 */
import { Clock, Console, Effect, Redacted } from "effect"
import { restore } from "../../../adapters/storage/engine/Backup.ts"
import { layerDatabase } from "../../../adapters/storage/engine/Database.ts"
import { migrate } from "../../../adapters/storage/engine/Migrations.ts"
import { migrations } from "../../../adapters/storage/migrations/index.ts"
import { markRestored } from "../../../adapters/storage/operations/Restorations.ts"
import { Problem, read } from "../../configuration/Variables.ts"
import { variables } from "../config/Environment.ts"
import { args, command, storeFile } from "./Command.ts"

const NEXT = "start the service: it pays nothing until it knows what was paid since the backup"

const mark = Effect.gen(function*() {
  const url = yield* read(variables.databaseUrl)
  if (Redacted.value(url).startsWith("sqlite:")) {
    return yield* new Problem({ message: "an embedded store is restored from a file: npm run restore -- <file>" })
  }
  yield* Effect.andThen(migrate(migrations), markRestored(yield* Clock.currentTimeMillis)).pipe(
    Effect.provide(layerDatabase(url))
  )
  yield* Console.log(`the store is marked as restored; ${NEXT}`)
  return 0
})

command(
  "restore",
  Effect.gen(function*() {
    const [source, ...others] = args()
    if (source === undefined || others.length > 0) {
      return yield* new Problem({
        message: "name the backup: npm run restore -- <file>, or --mark for a PostgreSQL that was put back"
      })
    }
    if (source === "--mark") return yield* mark
    const replaced = yield* restore(source, yield* storeFile, migrations, yield* Clock.currentTimeMillis)
    yield* Console.log(
      `${source} is in place${replaced === undefined ? "" : `; what was there is ${replaced}`}; ${NEXT}`
    )
    return 0
  })
)
