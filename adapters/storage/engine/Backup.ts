/**
 * Backups of an embedded store: taken while its owner runs and writes, put back only when nobody owns it.
 *
 * A backup is one consistent moment of the store (`VACUUM INTO` under one read transaction, which a WAL lets go on
 * beside the writer), complete in itself, checked before it has its name. What was there before a restore is kept
 * beside it. Not for PostgreSQL, which has tools of its own; a store of it that was put back is marked by
 * `markRestored`.
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

/** The file is no store, or not a sound one; or there is one already where a backup should go. */
export class BackupRefused extends Schema.TaggedError<BackupRefused>()("BackupRefused", { message: Schema.String }) {}

const refuse = (message: string) => Effect.fail(new BackupRefused({ message }))

const files = <A>(what: string, run: () => A): Effect.Effect<A, BackupRefused> =>
  Effect.try({
    try: run,
    catch: (error) => new BackupRefused({ message: `${what}: ${error instanceof Error ? error.message : "failed"}` })
  })

/** What was written survives a power cut, its name as well. */
const flush = (path: string): void => {
  for (const each of [path, dirname(resolve(path))]) {
    const file = openSync(each, "r")
    fsyncSync(file)
    closeSync(file)
  }
}

/** Fails unless the opened file is a store of this program's, whole and consistent. */
const checkSound = Effect.fnUntraced(function*(file: string) {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<
    { readonly name: string }
  >`SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'causeway_migrations'`
  if (tables.length === 0) return yield* refuse(`${file} is no store of this service`)
  const damage = yield* sql<{ readonly integrity_check: string }>`PRAGMA integrity_check`
  if (damage.length !== 1 || damage[0]?.integrity_check !== "ok") {
    return yield* refuse(`${file} is damaged: ${damage[0]?.integrity_check ?? "nothing can be read"}`)
  }
  const dangling = yield* sql`PRAGMA foreign_key_check`
  if (dangling.length > 0) return yield* refuse(`${file} is damaged: ${dangling.length} rows name what is not there`)
})

const opened = <A, E>(filename: string, readOnly: boolean, use: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  use.pipe(
    Effect.provide(Sqlite.layer({ filename, readOnly })),
    Effect.catchIf((error): error is E & SqlError.SqlError =>
      typeof error === "object" && error !== null && "_tag" in error && error._tag === "SqlError", (error) =>
      refuse(`${filename} cannot be read: ${error.message}`))
  )

/**
 * Copies the store at `filename` to a new file, whoever owns and writes it meanwhile.
 * Fails with `BackupRefused`: no such store, a damaged one, or a file that is there already.
 */
export const backup = Effect.fn("Backup.backup")(function*(filename: string, target: string) {
  if (!existsSync(filename)) return yield* refuse(`there is no store at ${filename}`)
  if (existsSync(target)) return yield* refuse(`${target} exists already: a backup never replaces anything`)
  const partial = `${target}.partial`
  yield* files("the backup cannot be written", () => {
    ensureFolder(target)
    rmSync(partial, { force: true })
    // VACUUM INTO takes an empty file, and would make one that everybody can read.
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
 * Puts a backup in the place of the store at `filename`, brought up to this version and marked as restored: no payment
 * is signed on it before what was paid since is known. `at` in milliseconds. Answers with where the store that was
 * there has gone, undefined when there was none. Fails with `StoreInUse` when a process owns the store, with
 * `BackupRefused` when the file is no sound store, and with `MigrationError` when a newer version wrote it; then
 * nothing has changed.
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
      Effect.andThen(checkSound(source), Effect.andThen(migrate(migrations), markRestored(at)))
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
