/**
 * Backups of an embedded store: made while its owner runs and writes, restored only when no process owns it.
 *
 * A backup is one consistent state of the store (`VACUUM INTO` under one read transaction, which WAL allows beside the
 * writer). It is complete in itself, and is checked before it gets its name. A restore keeps the previous store beside
 * the new one. Not for PostgreSQL, which has tools of its own; a restored PostgreSQL store is marked by `markRestored`.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Migrator, SqlError } from "effect/sql"
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { markRestored } from "../operations/Restorations.ts"
import * as Lock from "./Lock.ts"
import { migrate } from "./Migrations.ts"
import type { MigrationRecord } from "./Migrations.ts"
import { copyPrivately, createPrivate, ensureFolder, ensurePrivate, parts } from "./PrivateFile.ts"
import * as Sqlite from "./Sqlite.ts"

/** The file is no store, or is damaged; or the target of a backup exists already. */
export class BackupRefused extends Schema.TaggedError<BackupRefused>()("BackupRefused", { message: Schema.String }) {}

const refuse = (message: string) => Effect.fail(new BackupRefused({ message }))

const files = <A>(what: string, run: () => A): Effect.Effect<A, BackupRefused> =>
  Effect.try({
    try: run,
    catch: (error) => new BackupRefused({ message: `${what}: ${error instanceof Error ? error.message : "failed"}` })
  })

/** Makes a file and its directory entry durable, so that both survive a power cut. */
const flush = (path: string): void => {
  for (const each of [path, dirname(resolve(path))]) {
    const file = openSync(each, "r")
    fsyncSync(file)
    closeSync(file)
  }
}

/** Fails unless the opened file is a complete and consistent store of this program. */
const checkSound = Effect.fnUntraced(function*(file: string) {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<
    { readonly name: string }
  >`SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'causeway_migrations'`
  if (tables.length === 0) return yield* refuse(`${file} is not a store of this service`)
  const damage = yield* sql<{ readonly integrity_check: string }>`PRAGMA integrity_check`
  if (damage.length !== 1 || damage[0]?.integrity_check !== "ok") {
    return yield* refuse(`${file} is damaged: ${damage[0]?.integrity_check ?? "nothing can be read"}`)
  }
  const dangling = yield* sql`PRAGMA foreign_key_check`
  if (dangling.length > 0) {
    return yield* refuse(`${file} is damaged: ${dangling.length} rows refer to rows that do not exist`)
  }
})

const opened = <A, E>(
  filename: string,
  readOnly: boolean,
  use: Effect.Effect<A, E, SqlClient.SqlClient>,
  /** The file that the operator named. */
  named: string = filename
) =>
  use.pipe(
    Effect.provide(Sqlite.layer({ filename, readOnly })),
    Effect.catchIf((error): error is E & SqlError.SqlError =>
      typeof error === "object" && error !== null && "_tag" in error && error._tag === "SqlError", (error) =>
      refuse(`${named} cannot be read: ${error.message}`))
  )

/**
 * Copies the store at `filename` to a new file, even while another process owns and writes it. Fails with
 * `BackupRefused` when there is no such store, it is damaged, or the target exists already.
 */
export const backup = Effect.fn("Backup.backup")(function*(filename: string, target: string) {
  if (!existsSync(filename)) return yield* refuse(`there is no store at ${filename}`)
  if (existsSync(target)) return yield* refuse(`${target} exists already: a backup never replaces anything`)
  const partial = `${target}.partial`
  yield* files("the backup cannot be written", () => {
    ensureFolder(target)
    rmSync(partial, { force: true })
    // VACUUM INTO accepts an empty file, and would otherwise create one that every user can read.
    createPrivate(partial)
  })
  yield* opened(filename, true, Effect.flatMap(SqlClient.SqlClient, (sql) => sql`VACUUM INTO ${partial}`))
  yield* opened(partial, true, checkSound(partial)).pipe(
    Effect.tapError(() => Effect.sync(() => rmSync(partial, { force: true })))
  )
  yield* files("the backup cannot be written", () => {
    flush(partial)
    renameSync(partial, target)
    flush(target)
  })
})

/**
 * Replaces the store at `filename` by a backup, brought up to this version and marked as restored: no payment is signed
 * on it before all payments since the backup are known. `at` in milliseconds. Returns the path to which the previous
 * store was moved, undefined when there was none.
 *
 * Fails with `StoreInUse` when a process owns the store, with `BackupRefused` when the file is no intact store, and
 * with `MigrationError` when a newer version wrote it. After a failure nothing has changed.
 */
export const restore = (
  source: string,
  filename: string,
  migrations: MigrationRecord,
  at: number
): Effect.Effect<string | undefined, BackupRefused | Lock.StoreInUse | Migrator.MigrationError | SqlError.SqlError> =>
  Effect.scoped(Effect.gen(function*() {
    if (!existsSync(source)) return yield* refuse(`there is no file ${source}`)
    yield* Lock.acquire(filename)
    const copy = `${filename}.restoring`
    const discard = () => parts.forEach((part) => rmSync(`${copy}${part}`, { force: true }))
    yield* Effect.addFinalizer(() => Effect.sync(discard))
    yield* files("the store cannot be written", () => {
      discard()
      copyPrivately(source, copy)
    })
    yield* opened(
      copy,
      false,
      Effect.andThen(checkSound(source), Effect.andThen(migrate(migrations), markRestored(at))),
      source
    )
    const kept = `${filename}.replaced-${new Date(at).toISOString().replaceAll(":", "-")}`
    return yield* files("the store cannot be replaced", () => {
      flush(copy)
      const replaces = existsSync(filename)
      if (replaces) ensurePrivate(filename)
      for (const part of parts) if (existsSync(`${filename}${part}`)) renameSync(`${filename}${part}`, `${kept}${part}`)
      renameSync(copy, filename)
      flush(filename)
      return replaces ? kept : undefined
    })
  }))
