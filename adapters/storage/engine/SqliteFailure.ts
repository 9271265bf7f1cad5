/**
 * Converts what `node:sqlite` throws to effect's `SqlError`. The extended result code decides the reason. A duplicate
 * primary key is a `UniqueViolation`, as on PostgreSQL. Messages name columns and constraints, never values.
 */
import { Predicate } from "effect"
import { SqlError } from "effect/sql"

/** https://www.sqlite.org/rescode.html: violations of a primary key and of a rowid have codes of their own. */
const CONSTRAINT_PRIMARYKEY = 1555
const CONSTRAINT_ROWID = 2579
const CONSTRAINT_UNIQUE = 2067

const resultCode = (thrown: unknown): number | undefined => {
  if (!Predicate.hasProperty(thrown, "errcode") || typeof thrown.errcode !== "number") return undefined
  return thrown.errcode === CONSTRAINT_PRIMARYKEY || thrown.errcode === CONSTRAINT_ROWID
    ? CONSTRAINT_UNIQUE
    : thrown.errcode
}

/**
 * The fields that the classifier reads, under the names that it expects: `node:sqlite` calls the result code `errcode`.
 */
class SqliteFailure extends Error {
  override readonly name = "SqliteFailure"
  readonly errno: number | undefined
  constructor(message: string, errno: number | undefined) {
    super(message)
    this.errno = errno
  }
}

/** A `catch` for `Effect.try`: adds the operation's name and keeps SQLite's own message. */
export const sqlFailure = (operation: string) => (thrown: unknown): SqlError.SqlError => {
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new SqlError.SqlError({
    reason: SqlError.classifySqliteError(new SqliteFailure(message, resultCode(thrown)), {
      message: `SQLite ${operation}: ${message}`,
      operation
    })
  })
}
