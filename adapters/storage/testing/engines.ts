/**
 * Runs one contract suite on every storage engine: SQLite (a temporary file) and PostgreSQL (a new database on a server
 * of this test process). Each build of the layer is a new store, empty or migrated. Without PostgreSQL its half is
 * skipped with a message, or fails under CI_NO_SKIPS=1 (`Capability.ts`).
 */
import { describe } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { requirePostgres } from "../../../scripts/testing/Capability.ts"
import { type DatabaseError, type Engine, layerDatabase } from "../engine/Database.ts"
import { migrate } from "../engine/Migrations.ts"
import { migrations } from "../migrations/index.ts"
import type { Notices } from "../engine/notices/Notices.ts"
import { lentDatabases } from "./LentDatabases.ts"
import * as PostgresServer from "./PostgresServer.ts"

/** The URL of the store under test, to open it a second time or from another process. */
export class TestDatabase extends Context.Service<TestDatabase, Redacted.Redacted>()(
  "causeway/adapters/storage/testing/TestDatabase"
) {}

type Unavailable = DatabaseError | PostgresServer.PostgresServerError

/** The store, opened. */
export type EngineLayer = Layer.Layer<SqlClient.SqlClient | Engine | Notices | TestDatabase, Unavailable>

/** The store's URL only, not opened: an embedded store belongs to one opener at a time. */
export type DatabaseLayer = Layer.Layer<TestDatabase, Unavailable>

interface Databases {
  readonly empty: DatabaseLayer
  readonly migrated: DatabaseLayer
}

const open = (database: DatabaseLayer): EngineLayer =>
  Layer.unwrap(Effect.map(TestDatabase, (url) => layerDatabase(url))).pipe(Layer.provideMerge(database))

const temporaryFolder = Effect.sync(() => mkdtempSync(join(tmpdir(), "causeway-sqlite-")))
const remove = (folder: string) => rmSync(folder, { recursive: true, force: true })
const urlOf = (folder: string) => Redacted.make(`sqlite:${join(folder, "store.db")}`)

const sqliteWith = (fill: (folder: string) => Effect.Effect<void, Unavailable>): DatabaseLayer =>
  Layer.effect(
    TestDatabase,
    Effect.acquireRelease(temporaryFolder, (folder) => Effect.sync(() => remove(folder))).pipe(
      Effect.tap(fill),
      Effect.map(urlOf)
    )
  )

/** Migrates a store and closes it. */
const migrated = (url: Redacted.Redacted): Effect.Effect<void, Unavailable> =>
  migrate(migrations).pipe(Effect.provide(layerDatabase(url)), Effect.orDie, Effect.asVoid)

/** Run when it is first asked for, once in this process. */
const once = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> => Effect.runSync(Effect.cached(effect))

/** A migrated file, which each store of a suite begins as a copy of. */
const template = once(Effect.tap(temporaryFolder, (folder) => {
  process.once("exit", () => remove(folder))
  return migrated(urlOf(folder))
}))

const sqlite: Databases = {
  empty: sqliteWith(() => Effect.void),
  migrated: sqliteWith((folder) =>
    Effect.map(template, (from) => copyFileSync(join(from, "store.db"), join(folder, "store.db")))
  )
}

/** One server for all suites of this process. It starts with the first store that is requested. */
const makePostgres = (programs: PostgresServer.PostgresPrograms): Databases => {
  const server = once(
    // A database that many cases borrow must not gather statistics of their rows.
    Scope.provide(PostgresServer.start(programs, ["autovacuum=off"]), Scope.makeUnsafe())
  )
  const lent = once(Effect.gen(function*() {
    const running = yield* server
    const template = yield* Scope.provide(running.createDatabase, Scope.makeUnsafe())
    yield* migrated(template)
    return yield* Effect.orDie(lentDatabases(running, template))
  }))
  return {
    empty: Layer.effect(TestDatabase, Effect.flatMap(server, (_) => _.createDatabase)),
    migrated: Layer.effect(TestDatabase, Effect.flatten(lent))
  }
}
let postgres: Databases | undefined

/**
 * One `describe` for each engine; call it once per file. The suite gets the store opened (`layer`) and not opened
 * (`database`), and may distinguish the engines only by the given name. `begin`: what a new store is.
 */
export const describeEngines = (
  suite: (name: "sqlite" | "postgres", layer: EngineLayer, database: DatabaseLayer) => void,
  begin: "empty" | "migrated" = "empty"
): void => {
  describe("on SQLite", () => suite("sqlite", open(sqlite[begin]), sqlite[begin]))
  const programs = requirePostgres()
  if (programs === undefined) {
    // Collected for its count, never run.
    describe.skip("on PostgreSQL", () => suite("postgres", open(sqlite[begin]), sqlite[begin]))
  } else {
    const databases = postgres ??= makePostgres(programs)
    describe("on PostgreSQL", () => suite("postgres", open(databases[begin]), databases[begin]))
  }
}
