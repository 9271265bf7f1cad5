/**
 * Effect's `SqlClient` over `node:sqlite`, for the embedded store. One connection a process, shared through a
 * semaphore; WAL with `synchronous=FULL`, so that a committed transaction survives a power cut. An integer that does
 * not fit a JavaScript number fails the statement instead of losing digits.
 *
 * Statements run on the calling thread. This is for the one process that owns the file (`Lock.ts`); several processes
 * share PostgreSQL instead. Replace it once `@effect/sql-sqlite-node` exists for 4.1.
 */
import { Context, Effect, Layer, Option, Scope, Semaphore, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, Statement } from "effect/sql"
import type { SqlConnection, SqlError } from "effect/sql"
import { DatabaseSync } from "node:sqlite"
import { offerDirectReads } from "./DirectReads.ts"
import { offerDirectWrites } from "./DirectWrites.ts"
import { Notices } from "./notices/Notices.ts"
import { ensureFolder, ensurePrivate } from "./PrivateFile.ts"
import { makeCommitGroups, untilDurable } from "./SharedCommit.ts"
import type { CommitGroup, CommitGroups } from "./SharedCommit.ts"
import { sqlFailure } from "./SqliteFailure.ts"
import { makeSqliteNotices } from "./notices/SqliteNotices.ts"
import { makeStatements, runStatement, type Row, type Statements } from "./SqliteStatement.ts"

export interface SqliteOptions {
  /** A path, whose folder is created when it is missing, or `:memory:`. Only the owner can read its files. */
  readonly filename: string
  /** How long a statement waits for a lock of another process, blocking this process. Default 5,000 ms. */
  readonly busyTimeoutMillis?: number
  /** Opens an existing file while another process owns it. Readers and the writer never wait for each other. */
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
      catch: sqlFailure("open", options.filename)
    }),
    (database) => Effect.sync(() => database.close())
  )

const connect = (statements: Statements): SqlConnection.Connection => {
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
    // Not cached: running a cached statement again inside the same transaction would end the iteration.
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

/** The group that a transaction has joined. A nested transaction joins none. */
const Membership = Context.Reference<{ group: CommitGroup | undefined }>(
  "causeway/adapters/storage/engine/Membership",
  {
    defaultValue: () => ({ group: undefined })
  }
)

const SAVEPOINT = "causeway_transaction"

/**
 * Writes that are a transaction by themselves. Other statements, such as VACUUM, may be refused inside a transaction.
 */
const isWrite = (sql: string): boolean => /^\s*(INSERT|UPDATE|DELETE)\b/i.test(sql)
const isRead = (sql: string): boolean => /^\s*(SELECT|WITH)\b/i.test(sql)

/** The connection for a single statement outside of transactions. A write joins a group, as a transaction does. */
const alone = (connection: SqlConnection.Connection, groups: CommitGroups): SqlConnection.Connection => {
  const around = <A>(sql: string, run: Effect.Effect<A, SqlError.SqlError>) =>
    isWrite(sql) ? Effect.andThen(groups.join, run) : isRead(sql) ? run : Effect.andThen(groups.commit, run)
  return {
    ...connection,
    execute: (sql, params, transform) => around(sql, connection.execute(sql, params, transform)),
    executeUnprepared: (sql, params, transform) => around(sql, connection.executeUnprepared(sql, params, transform)),
    executeValues: (sql, params) => around(sql, connection.executeValues(sql, params)),
    executeValuesUnprepared: (sql, params) => around(sql, connection.executeValuesUnprepared(sql, params)),
    executeRaw: (sql, params) => around(sql, connection.executeRaw(sql, params))
  }
}

/** A `SqlClient` on one file. Fails with `SqlError` when the file can not be opened. The scope closes it. */
export const make = Effect.fnUntraced(function*(options: SqliteOptions) {
  const database = yield* open(options)
  const semaphore = yield* Semaphore.make(1)
  const readOnly = options.readOnly === true
  const notices = makeSqliteNotices(database)
  const groups = makeCommitGroups(database, {
    // Takes the write lock at the start: a deferred transaction that reads and then writes can fail as busy.
    begin: readOnly ? "BEGIN" : "BEGIN IMMEDIATE",
    committed: notices.committed,
    shared: !readOnly && options.filename !== ":memory:"
  })
  yield* Effect.addFinalizer(() => groups.commit)
  const statements = makeStatements(database)
  const connection = connect(statements)
  const statement = alone(connection, groups)
  const lease = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      const scope = yield* Effect.scope
      yield* restore(semaphore.takeScoped(1))
      yield* groups.lend
      // Not `acquireRelease`, which copies the whole context for its release.
      yield* Scope.addFinalizer(scope, groups.giveBack)
    })
  )
  const client = yield* SqlClient.make({
    // For streams, which return rows in parts: the open group is made durable first.
    acquirer: lease.pipe(Effect.andThen(groups.commit), Effect.as(connection)),
    borrower: (run) =>
      Effect.suspend(() => {
        let group: CommitGroup | undefined
        const borrowed = Effect.andThen(groups.lend, run(statement)).pipe(
          Effect.onExit(() => {
            group = groups.open()
            return groups.giveBack
          })
        )
        return semaphore.withPermit(borrowed).pipe(
          Effect.onExit(() => group === undefined ? Effect.void : untilDurable(group))
        )
      }),
    transactionAcquirer: Effect.withFiber((fiber) =>
      lease.pipe(
        Effect.andThen(groups.join),
        Effect.map((group) => {
          fiber.getRef(Membership).group = group
          return connection
        })
      )
    ),
    compiler: Statement.makeCompilerSqlite(),
    driver: "sqlite-node",
    beginTransaction: `SAVEPOINT ${SAVEPOINT}`,
    commit: `RELEASE SAVEPOINT ${SAVEPOINT}`,
    rollback: `ROLLBACK TO SAVEPOINT ${SAVEPOINT}`,
    isTransaction: () => database.isTransaction,
    prepareTransactionControls: true,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "sqlite"]]
  })
  offerDirectReads(client, { database, statements })
  offerDirectWrites(client, { database, groups, statements, alone: (effect) => semaphore.withPermit(effect) })
  const { withTransaction } = client
  return Object.assign(client, {
    notices: notices.service,
    withTransaction: <R, E, A>(self: Effect.Effect<A, E, R>) =>
      Effect.suspend(() => {
        const membership: typeof Membership.Service = { group: undefined }
        return withTransaction(self).pipe(
          Effect.provideService(Membership, membership),
          Effect.onExit(() => membership.group === undefined ? Effect.void : untilDurable(membership.group))
        )
      })
  })
})

/** Provides `SqlClient`, and the notices of what is committed through it. */
export const layer = (options: SqliteOptions): Layer.Layer<SqlClient.SqlClient | Notices, SqlError.SqlError> =>
  Layer.effectContext(
    Effect.map(
      make(options),
      (client) => Context.make(SqlClient.SqlClient, client).pipe(Context.add(Notices, client.notices))
    )
  ).pipe(Layer.provide(Reactivity.layer))
