/**
 * Exclusive ownership of an embedded store: one process at a time, for as long as the scope lasts.
 *
 * The lock is SQLite's own lock on `<store>.lock`. The operating system releases it when the process ends, in whatever
 * way, so no lock is stale after SIGKILL. `<store>.lock.pid` only tells the next process which one has the lock. Not
 * for network file systems (their locks are unreliable), nor for what PostgreSQL's own locks cover.
 */
import { Effect, Layer, Schema } from "effect"
import type { Scope } from "effect"
import type { SqlError } from "effect/sql"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { createPrivate, ensureFolder, ensurePrivate } from "./PrivateFile.ts"
import { sqlFailure } from "./SqliteFailure.ts"

/** Another process owns the store. `ownerPid` is missing while that process is still starting. */
export class StoreInUse extends Schema.TaggedError<StoreInUse>()("StoreInUse", {
  filename: Schema.String,
  ownerPid: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    const owner = this.ownerPid === undefined ? "another process" : `process ${this.ownerPid}`
    return `${this.filename} is in use by ${owner}: an embedded store belongs to one process; set DATABASE_URL to a PostgreSQL to run several`
  }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // The process is alive and belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

const readOwner = (pidFile: string): number | undefined => {
  try {
    const pid = Number(readFileSync(pidFile, "utf8"))
    return Number.isSafeInteger(pid) && pid > 0 && isAlive(pid) ? pid : undefined
  } catch {
    return undefined
  }
}

const take = (lockFile: string): Effect.Effect<DatabaseSync, SqlError.SqlError> =>
  Effect.try({
    try: () => {
      // Another user who could open the file could lock it, and keep the service from starting.
      ensureFolder(lockFile)
      ensurePrivate(lockFile)
      const lock = new DatabaseSync(lockFile)
      try {
        lock.exec("BEGIN EXCLUSIVE")
      } catch (error) {
        lock.close()
        throw error
      }
      return lock
    },
    catch: sqlFailure("lock", lockFile)
  })

/**
 * Takes the store at `filename` until the scope closes. Does not wait. Fails with `StoreInUse` when another process (or
 * another scope of this one) has it, and with `SqlError` when the lock file can not be written.
 */
export const acquire = (filename: string): Effect.Effect<void, StoreInUse | SqlError.SqlError, Scope.Scope> => {
  const pidFile = `${filename}.lock.pid`
  return Effect.acquireRelease(
    take(`${filename}.lock`).pipe(
      Effect.catchIf(
        (error) => error.reason._tag === "LockTimeoutError",
        () => {
          const ownerPid = readOwner(pidFile)
          return Effect.fail(new StoreInUse(ownerPid === undefined ? { filename } : { filename, ownerPid }))
        }
      ),
      Effect.tap(() =>
        Effect.try({
          try: () => {
            rmSync(pidFile, { force: true })
            createPrivate(pidFile)
            writeFileSync(pidFile, String(process.pid))
          },
          catch: sqlFailure("lock", pidFile)
        })
      )
    ),
    (lock) =>
      Effect.sync(() => {
        rmSync(pidFile, { force: true })
        lock.close()
      })
  ).pipe(Effect.asVoid)
}

/** Holds the store for the lifetime of the layer. Provide it below the layer that opens the store. */
export const layer = (filename: string): Layer.Layer<never, StoreInUse | SqlError.SqlError> =>
  Layer.effectDiscard(acquire(filename))
