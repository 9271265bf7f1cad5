/**
 * Effect's `SqlClient` over `node:sqlite`, for the embedded store. One connection a process, shared
 * through a semaphore; WAL with `synchronous=FULL`, so that a committed transaction survives a power cut.
 * An integer that does not fit a JavaScript number fails the statement instead of losing digits.
 *
 * Statements run on the calling thread: this is for the one process that owns the file (`Lock.ts`),
 * not for several processes; those share PostgreSQL. Drop it when `@effect/sql-sqlite-node` exists for 4.1.
 */
import { Effect, Layer, Option, Semaphore, Stream } from "effect"
import type { Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, Statement } from "effect/sql"
import type { SqlConnection, SqlError } from "effect/sql"
import { DatabaseSync } from "node:sqlite"
import { ensureFolder, ensurePrivate } from "./PrivateFile.ts"
import { sqlFailure } from "./SqliteFailure.ts"
import { makeStatements, runStatement, type Row } from "./SqliteStatement.ts"

export interface SqliteOptions {
  /** A path, whose folder is made when it is missing, or `:memory:`. Its files are their owner's alone. */
  readonly filename: string
  /** How long a statement waits, blocking the process, for a lock that another process holds. Default 5,000 ms. */
  readonly busyTimeoutMillis?: number
  /**
   * Opens a file that exists, beside the process that owns it: its readers never wait for its writer, nor it for them.
   */
  readonly readOnly?: boolean
}

const ROWS_A_CHUNK = 256

const open = (options: SqliteOptions): Effect.Effect<DatabaseSync, SqlError.SqlError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        if (options.readOnly === true) {
          return new DatabaseSync(options.filename, { readOnly: true, timeout: options.busyTimeoutMillis ?? 5_000 })
        }
        if (options.filename !== ":memory:") {
          ensureFolder(options.filename)
          ensurePrivate(options.filename)
        }
        const database = new DatabaseSync(options.filename, {
          timeout: options.busyTimeoutMillis ?? 5_000,
          enableForeignKeyConstraints: true
        })
        database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF")
        return database
      },
      catch: sqlFailure("open")
    }),
    (database) => Effect.sync(() => database.close())
  )

const connect = (database: DatabaseSync): SqlConnection.Connection => {
  const statements = makeStatements(database)

  const rows = (cached: boolean): SqlConnection.Connection["execute"] => (sql, params, transform) =>
    Effect.withFiber((fiber) => {
      const safeIntegers = fiber.getRef(SqlClient.SafeIntegers)
      return Effect.try({
        try: () => {
          const result = runStatement(statements.get(sql, cached), params, { safeIntegers, arrays: false }).rows
          return transform === undefined ? result : transform(result)
        },
        catch: sqlFailure("execute")
      })
    })

  const values = (cached: boolean): SqlConnection.Connection["executeValues"] => (sql, params) =>
    Effect.withFiber((fiber) => {
      const safeIntegers = fiber.getRef(SqlClient.SafeIntegers)
      return Effect.try({
        try: () =>
          runStatement(statements.get(sql, cached), params, { safeIntegers, arrays: true }).rows
            .map((row) => Array.isArray(row) ? row : Object.values(row)),
        catch: sqlFailure("executeValues")
      })
    })

  return {
    execute: rows(true),
    executeUnprepared: rows(false),
    executeValues: values(true),
    executeValuesUnprepared: values(false),
    executeRaw: (sql, params) =>
      Effect.withFiber((fiber) => {
        const safeIntegers = fiber.getRef(SqlClient.SafeIntegers)
        return Effect.try({
          try: () => runStatement(statements.get(sql, true), params, { safeIntegers, arrays: false }),
          catch: sqlFailure("executeRaw")
        })
      }),
    // A statement of its own: running a cached one again, inside the same transaction, would end the iteration.
    executeStream: (sql, params, transform) =>
      Stream.unwrap(Effect.withFiber((fiber) => {
        const safeIntegers = fiber.getRef(SqlClient.SafeIntegers)
        return Effect.map(
          Effect.try({
            try: () => statements.get(sql, false).iterate(params, safeIntegers),
            catch: sqlFailure("executeStream")
          }),
          (iterator) =>
            Stream.paginate(undefined, () =>
              Effect.try({
                try: () => {
                  const chunk: Array<Row> = []
                  while (chunk.length < ROWS_A_CHUNK) {
                    const step = iterator.next()
                    if (step.done === true) break
                    chunk.push(step.value)
                  }
                  const more = chunk.length === ROWS_A_CHUNK ? Option.some(undefined) : Option.none()
                  return [transform === undefined ? chunk : transform(chunk), more] as const
                },
                catch: sqlFailure("executeStream")
              }))
        )
      }))
  }
}

/** A `SqlClient` on one file. Fails with `SqlError` when the file can not be opened. The scope closes it. */
export const make = Effect.fnUntraced(function*(options: SqliteOptions) {
  const database = yield* open(options)
  const semaphore = yield* Semaphore.make(1)
  const acquirers = SqlClient.makeSqliteAcquirers({
    connection: Effect.succeed(connect(database)),
    semaphore,
    isTransaction: () => database.isTransaction
  })
  return yield* SqlClient.make({
    ...acquirers,
    compiler: Statement.makeCompilerSqlite(),
    driver: "sqlite-node",
    // A write lock from the start: a deferred transaction that reads and then writes can fail as busy.
    beginTransaction: options.readOnly === true ? "BEGIN" : "BEGIN IMMEDIATE",
    prepareTransactionControls: true,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "sqlite"]]
  })
})

export const layer = (options: SqliteOptions): Layer.Layer<SqlClient.SqlClient, SqlError.SqlError> =>
  Layer.effect(SqlClient.SqlClient, make(options)).pipe(Layer.provide(Reactivity.layer))
