/**
 * A child process of `Crash.test.ts`: commits one row, leaves a second one in an open transaction, and waits to be
 * killed.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { layerDatabase } from "../engine/Database.ts"

const program = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE written (id TEXT NOT NULL PRIMARY KEY)`
  yield* sql.withTransaction(sql`INSERT INTO written (id) VALUES ('committed')`)
  return yield* sql.withTransaction(Effect.gen(function*() {
    yield* sql`INSERT INTO written (id) VALUES ('open')`
    yield* Effect.sync(() => process.stdout.write("written\n"))
    return yield* Effect.never
  }))
})

program.pipe(
  Effect.provide(layerDatabase(Redacted.make(process.env["DATABASE_URL"] ?? ""))),
  NodeRuntime.runMain
)
