/**
 * A child process of `PrivateFiles.test.ts`, with umask 0: `write` fills the store at `STORE`, reports it and keeps the
 * store open; `backup` copies it to `TARGET`.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { backup } from "../engine/Backup.ts"
import { layerDatabase } from "../engine/Database.ts"
import { migrate } from "../engine/Migrations.ts"
import { migrations } from "../migrations/index.ts"

process.umask(0)
const store = process.env["STORE"] ?? ""

const write = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* migrate(migrations)
  yield* sql`CREATE TABLE ballast (bytes TEXT NOT NULL)`
  yield* sql`INSERT INTO ballast WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30) SELECT hex(randomblob(500000)) FROM n`
  yield* Effect.sync(() => process.stdout.write("written\n"))
  return yield* Effect.never
}).pipe(Effect.provide(layerDatabase(Redacted.make(`sqlite:${store}`))))

if (process.argv[2] === "write") NodeRuntime.runMain(write)
else NodeRuntime.runMain(backup(store, process.env["TARGET"] ?? ""))
