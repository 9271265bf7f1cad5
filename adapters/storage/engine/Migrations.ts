/**
 * Brings a store's tables up to this program's version, in one transaction: all pending migrations or none. Safe when
 * several processes start at once (an advisory lock on PostgreSQL, the write lock on SQLite). A store that this program
 * does not know, because it was written by a newer version or has another history, is refused.
 *
 * One SQL text serves both engines, in this common subset:
 * - Columns are TEXT or BIGINT: bytes are TEXT hex, uint256 TEXT decimals, an amount in micro-USDC BIGINT, a time
 *   BIGINT milliseconds, JSON TEXT, a boolean BIGINT 0 or 1. `Columns.ts` decodes what either engine returns.
 * - Write NOT NULL, at primary keys too (SQLite lets NULL into them). TEXT holds no U+0000 on PostgreSQL.
 * - One statement a template. No SERIAL or AUTOINCREMENT (the program makes ids), no DEFAULT now(), no ALTER but ADD
 *   COLUMN, RENAME and DROP COLUMN, no FOR UPDATE: lock a row by an UPDATE of it (`onDialectOrElse` where locked rows
 *   are to be skipped).
 * - Duplicates: `ON CONFLICT (…) DO NOTHING RETURNING …`. `CAST(SUM(x) AS BIGINT)`, as PostgreSQL sums int8 to numeric.
 *   Division truncates on both; `||` and COALESCE are the same. LIKE differs in case, so use it only for texts whose
 *   case this program controls.
 * - SQLite transactions are serializable, PostgreSQL's are READ COMMITTED: guard by constraints and conditional updates
 *   (`UPDATE … WHERE status = … RETURNING …`), never by an earlier read.
 */
import { Effect, Layer } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import type { SqlError, Statement } from "effect/sql"

const TABLE = "causeway_migrations"

/** Any number that no other program uses on this database. PostgreSQL's advisory locks are per database. */
const ADVISORY_LOCK = "7023716155401172345"

export type Migration = Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient>

/** Keyed `<number>_<name>`, for example `0001_orders`. Released migrations never change. */
export type MigrationRecord = Readonly<Record<string, Migration>>

/** A migration of several statements, run in order. */
export const statements = (
  of: (sql: SqlClient.SqlClient) => ReadonlyArray<Statement.Statement<unknown>>
): Migration =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.forEach(of(sql), (statement) => statement, { discard: true }))

const badState = (message: string): Migrator.MigrationError =>
  new Migrator.MigrationError({ kind: "BadState", message })

const NAME = /^(\d+)_(.+)$/

/** The contents of the migrations table once all of `migrations` have run. */
const historyOf = (
  migrations: MigrationRecord
): Effect.Effect<ReadonlyMap<number, string>, Migrator.MigrationError> =>
  Effect.gen(function*() {
    const history = new Map<number, string>()
    for (const key of Object.keys(migrations)) {
      const match = NAME.exec(key)
      const id = Number(match?.[1] ?? "0")
      const name = match?.[2]
      if (id === 0 || name === undefined) {
        return yield* badState(`"${key}" is no migration name: <number from 1>_<name>`)
      }
      history.set(id, name)
    }
    return history
  })

const checkHistory = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, expected: ReadonlyMap<number, string>) {
  const recorded = yield* sql<{ readonly id: string; readonly name: string }>`
    SELECT CAST(migration_id AS TEXT) AS id, name FROM ${sql(TABLE)}`
  for (const { id, name } of recorded) {
    if (expected.get(Number(id)) !== name) {
      return yield* badState(
        `the store has migration ${id}_${name}, which this version does not know: run a newer version`
      )
    }
  }
  if (recorded.length !== expected.size) {
    return yield* badState("a migration was numbered below one that this store already has")
  }
})

/**
 * A change of tables in one transaction, during which no other process of this store changes any: PostgreSQL's `IF NOT
 * EXISTS` fails when two do at once.
 */
export const changeTables = <A, E, R>(
  change: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const alone = sql.onDialectOrElse({
      // void has no codec in sql-pg
      pg: () => Effect.asVoid(sql`SELECT pg_advisory_xact_lock(${sql.literal(ADVISORY_LOCK)})::text AS locked`),
      orElse: () => Effect.void
    })
    return sql.withTransaction(Effect.andThen(alone, change))
  })

/**
 * Runs the pending ones of `migrations` and returns those that it ran. Idempotent. Fails with `MigrationError` (a
 * migration failed, or the store has another history; nothing has changed) or `SqlError`.
 */
export const migrate = Effect.fn("Migrations.migrate")(function*(migrations: MigrationRecord) {
  const sql = yield* SqlClient.SqlClient
  const expected = yield* historyOf(migrations)
  return yield* changeTables(Effect.gen(function*() {
    const completed = yield* Migrator.make({})({ loader: Migrator.fromRecord(migrations), table: TABLE })
    yield* checkHistory(sql, expected)
    return completed
  }))
})

/**
 * Refuses a store that is not of exactly this version, and changes nothing. For processes that only read. Fails with
 * `MigrationError` or `SqlError`.
 */
export const checkMigrated = Effect.fnUntraced(function*(migrations: MigrationRecord) {
  const sql = yield* SqlClient.SqlClient
  yield* checkHistory(sql, yield* historyOf(migrations))
})

/** Brings the store up to date before it is used. */
export const layerMigrations = (
  migrations: MigrationRecord
): Layer.Layer<never, Migrator.MigrationError | SqlError.SqlError, SqlClient.SqlClient> =>
  Layer.effectDiscard(migrate(migrations))
