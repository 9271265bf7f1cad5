/**
 * Runs one contract suite on every storage engine: SQLite (a temporary file) and PostgreSQL (a new database on a server
 * of the test file's own). Each build of the layer is a new, empty store. Without PostgreSQL its half is skipped with a
 * message, or fails under CI_NO_SKIPS=1 (`Capability.ts`).
 */
import { describe } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { requirePostgres } from "../../../scripts/testing/Capability.ts"
import { type DatabaseError, type Engine, layerDatabase } from "../engine/Database.ts"
import type { Notices } from "../engine/Notices.ts"
import * as PostgresServer from "./PostgresServer.ts"

/** The URL of the store under test, to open it a second time or from another process. */
export class TestDatabase extends Context.Service<TestDatabase, Redacted.Redacted>()(
  "causeway/adapters/storage/testing/TestDatabase"
) {}

type Unavailable = DatabaseError | PostgresServer.PostgresServerError

/** The store, opened. */
export type EngineLayer = Layer.Layer<SqlClient.SqlClient | Engine | Notices | TestDatabase, Unavailable>

/** The store's URL only, not opened: an embedded store belongs to one opener at a time. */
export type DatabaseLayer = Layer.Layer<TestDatabase, PostgresServer.PostgresServerError>

const open = (database: DatabaseLayer): EngineLayer =>
  Layer.unwrap(Effect.map(TestDatabase, (url) => layerDatabase(url))).pipe(Layer.provideMerge(database))

const sqlite: DatabaseLayer = Layer.effect(
  TestDatabase,
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "causeway-sqlite-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ).pipe(Effect.map((folder) => Redacted.make(`sqlite:${join(folder, "store.db")}`)))
)

/** One server for the test file. It starts with the first store that is requested, and ends with the process. */
const postgres = (programs: PostgresServer.PostgresPrograms): DatabaseLayer => {
  const server = Effect.runSync(Effect.cached(Scope.provide(PostgresServer.start(programs), Scope.makeUnsafe())))
  return Layer.effect(TestDatabase, Effect.flatMap(server, (_) => _.createDatabase))
}

/**
 * One `describe` for each engine; call it once per file. The suite gets the store opened (`layer`) and not opened
 * (`database`), and may distinguish the engines only by the given name.
 */
export const describeEngines = (
  suite: (name: "sqlite" | "postgres", layer: EngineLayer, database: DatabaseLayer) => void
): void => {
  describe("on SQLite", () => suite("sqlite", open(sqlite), sqlite))
  const programs = requirePostgres()
  if (programs === undefined) {
    // Collected for its count, never run.
    describe.skip("on PostgreSQL", () => suite("postgres", open(sqlite), sqlite))
  } else {
    const database = postgres(programs)
    describe("on PostgreSQL", () => suite("postgres", open(database), database))
  }
}
