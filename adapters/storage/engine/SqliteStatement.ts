/**
 * Prepared statements of one `node:sqlite` connection: a bounded cache that evicts the least recently used, and the
 * binding of parameters. Integers are bound as integers (node binds every number as a double, which a TEXT column would
 * store as "1.0"). Values for which SQLite has no type are refused rather than guessed. Everything here throws what it
 * refuses; `Sqlite.ts` turns that into `SqlError` at the edge of the driver.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite"

const CACHE_SIZE = 256

/**
 * Longer statements are not cached. They write many rows at once, and each number of rows is a separate statement that
 * keeps the values that it last wrote.
 */
const CACHED_TEXT = 4_096

export type Row = Record<string, SQLOutputValue>

export interface PreparedStatement {
  readonly statement: StatementSync
  readonly returnsRows: boolean
  readonly iterate: (params: ReadonlyArray<unknown>, safeIntegers: boolean) => Iterator<Row, unknown>
}

export interface RunOptions {
  /** Read every integer as bigint. */
  readonly safeIntegers: boolean
  /** Read rows as arrays of values. */
  readonly arrays: boolean
}

export interface RunResult {
  readonly rows: ReadonlyArray<Row>
  /** Rows written; 0 for a statement that returns rows. */
  readonly changes: number
}

const bindValue = (value: unknown): SQLInputValue => {
  if (value === undefined || value === null) return null
  if (typeof value === "string" || typeof value === "bigint") return value
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value
  if (typeof value === "boolean") return value ? 1n : 0n
  if (value instanceof Uint8Array) return value
  if (value instanceof Date) return value.toISOString()
  throw new TypeError(`a parameter of type ${typeof value} can not be bound`)
}

/**
 * Runs a statement to its end. Throws what SQLite throws, and throws for an integer beyond 2^53 unless `safeIntegers`.
 */
export const runStatement = (
  prepared: PreparedStatement,
  params: ReadonlyArray<unknown>,
  options: RunOptions
): RunResult => {
  const { statement } = prepared
  const bound = params.map(bindValue)
  if (!prepared.returnsRows) return { rows: [], changes: Number(statement.run(...bound).changes) }
  statement.setReadBigInts(options.safeIntegers)
  statement.setReturnArrays(options.arrays)
  return { rows: statement.all(...bound), changes: 0 }
}

const prepare = (database: DatabaseSync, sql: string): PreparedStatement => {
  const statement = database.prepare(sql)
  // SQLite prepares the first statement of a text and silently ignores the rest. PostgreSQL refuses such a text.
  if (sql.slice(statement.sourceSQL.length).trim() !== "") {
    throw new SyntaxError("one statement at a time: the text holds more after the first")
  }
  return {
    statement,
    returnsRows: statement.columns().length > 0,
    iterate: (params, safeIntegers) => {
      statement.setReadBigInts(safeIntegers)
      return statement.iterate(...params.map(bindValue))
    }
  }
}

export interface Statements {
  readonly get: (sql: string, cached: boolean) => PreparedStatement
}

export const makeStatements = (database: DatabaseSync): Statements => {
  const cache = new Map<string, PreparedStatement>()
  return {
    get: (sql, cached) => {
      if (!cached || sql.length > CACHED_TEXT) return prepare(database, sql)
      const known = cache.get(sql)
      if (known !== undefined) {
        cache.delete(sql)
        cache.set(sql, known)
        return known
      }
      const prepared = prepare(database, sql)
      cache.set(sql, prepared)
      if (cache.size > CACHE_SIZE) {
        for (const oldest of cache.keys()) {
          cache.delete(oldest)
          break
        }
      }
      return prepared
    }
  }
}
