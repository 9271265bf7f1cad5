import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, truncateSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { migrations } from "../migrations/index.ts"
import { backup, restore } from "./Backup.ts"
import { layerDatabase } from "./Database.ts"
import { migrate } from "./Migrations.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "causeway-backup-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** With the store open and owned, as by a running service. */
const owning = <A, E>(store: string, use: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  use.pipe(Effect.provide(layerDatabase(Redacted.make(`sqlite:${store}`))))

const write = (id: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`INSERT INTO pauses ${sql.insert({ id, scope: "{}", reason: "", created_at: 1 })}`
  )

const pausesIn = (file: string): ReadonlyArray<unknown> => {
  const opened = new DatabaseSync(file, { readOnly: true })
  const rows = opened.prepare("SELECT id FROM pauses ORDER BY id").all().map(({ id }) => id)
  opened.close()
  return rows
}

const AT = Date.parse("2026-11-21T10:00:00.000Z")

describe("backups of an embedded store", () => {
  it.live("are a consistent snapshot, taken while the owner writes and restored when nobody owns the store; the previous store is kept", () =>
    Effect.scoped(Effect.gen(function*() {
      const store = join(yield* folder, "store.db")
      const file = join(dirname(store), "deep", "one.db")
      yield* owning(
        store,
        Effect.gen(function*() {
          yield* migrate(migrations)
          yield* write("a")
          const sql = yield* SqlClient.SqlClient
          // Not committed, so not in the backup.
          yield* sql.withTransaction(Effect.andThen(write("b"), backup(store, file)))
          assert.deepStrictEqual(pausesIn(store), ["a", "b"])
          const refused = yield* Effect.flip(restore(file, store, migrations, AT))
          assert.strictEqual(refused._tag, "StoreInUse")
        })
      )
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.include((yield* Effect.flip(backup(store, file))).message, "a backup never replaces anything")
      const kept = yield* restore(file, store, migrations, AT)
      assert.deepStrictEqual(pausesIn(store), ["a"])
      assert.strictEqual(basename(kept ?? ""), "store.db.replaced-2026-11-21T10-00-00.000Z")
      assert.deepStrictEqual(pausesIn(kept ?? ""), ["a", "b"])
      yield* owning(store, write("c"))
      // The backup itself is unchanged and can be restored again.
      rmSync(store)
      assert.isUndefined(yield* restore(file, store, migrations, AT))
      assert.deepStrictEqual(pausesIn(store), ["a"])
    })))

  it.live("are refused when damaged, not a store, or of a newer version, and then nothing changes", () =>
    Effect.scoped(Effect.gen(function*() {
      const store = join(yield* folder, "store.db")
      const at = (name: string) => join(dirname(store), name)
      yield* owning(store, migrate(migrations))
      yield* backup(store, at("good.db"))
      for (const name of ["cut.db", "newer.db"]) copyFileSync(at("good.db"), at(name))
      truncateSync(at("cut.db"), 40_000)
      const newer = new DatabaseSync(at("newer.db"))
      newer.exec("INSERT INTO causeway_migrations (migration_id, name) VALUES (9999, 'future')")
      newer.close()
      const other = new DatabaseSync(at("other.db"))
      other.exec("CREATE TABLE t (x)")
      other.close()
      const before = readFileSync(store)
      const said: Readonly<Record<string, RegExp>> = {
        "cut.db": /damaged|malformed|cannot be read/,
        "newer.db": /9999_future.*run a newer version/,
        "other.db": /is not a store of this service/,
        "missing.db": /there is no file/
      }
      for (const [name, message] of Object.entries(said)) {
        assert.match((yield* Effect.flip(restore(at(name), store, migrations, AT))).message, message)
      }
      assert.include((yield* Effect.flip(backup(at("missing.db"), at("new.db")))).message, "there is no store")
      assert.isTrue(readFileSync(store).equals(before))
      assert.deepStrictEqual(
        readdirSync(dirname(store)).filter((name) => /restoring|replaced|partial|new\.db/.test(name)),
        []
      )
    })))
})
