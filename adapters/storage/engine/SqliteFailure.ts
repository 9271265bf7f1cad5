/**
 * Converts what `node:sqlite` throws to effect's `SqlError`. The extended result code decides the reason. A duplicate
 * primary key is a `UniqueViolation`, as on PostgreSQL. Messages name columns, constraints and the file, never values,
 * and say what an operator can do where that is known.
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

const place = "it must be a file in a folder, and this user must be able to write both"
const space = "free space on its disk"
const damage = "DATABASE_URL names a file of something else, or one that is damaged: restore a backup"

const READONLY = 8
const CORRUPT = 11
const FULL = 13
const CANTOPEN = 14
const NOTADB = 26

/** What to do, by SQLite's primary result code, or by that of the file system. */
const advice: ReadonlyMap<number | string, string> = new Map<number | string, string>([
  [READONLY, place],
  [CORRUPT, damage],
  [FULL, space],
  [CANTOPEN, place],
  [NOTADB, damage],
  ["EACCES", place],
  ["EEXIST", place],
  ["EISDIR", place],
  ["ENOENT", place],
  ["ENOSPC", space],
  ["ENOTDIR", place],
  ["EROFS", place]
])

const adviceFor = (thrown: unknown): string => {
  const code = resultCode(thrown)
  const systemCode = Predicate.hasProperty(thrown, "code") ? String(thrown.code) : ""
  const known = advice.get(code === undefined ? systemCode : code & 0xff)
  return known === undefined ? "" : ` (${known})`
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

/** A `catch` for `Effect.try`: adds the operation's name and the file, and keeps SQLite's own message. */
export const sqlFailure = (operation: string, filename?: string) => (thrown: unknown): SqlError.SqlError => {
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new SqlError.SqlError({
    reason: SqlError.classifySqliteError(new SqliteFailure(message, resultCode(thrown)), {
      message: `SQLite ${operation}${filename === undefined ? "" : ` of ${filename}`}: ${message}${adviceFor(thrown)}`,
      operation
    })
  })
}
