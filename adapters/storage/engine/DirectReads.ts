/**
 * Single reads that SQLite makes in one go while nothing is being written: they need no connection, scope or context of
 * their own, because no other work runs between their steps.
 *
 * SECURITY: all fibers share one connection, on which a read sees what others have written and not committed. So while
 * any transaction is open, a read waits its turn as every other statement does.
 */
import { Context, Effect, References } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError, Statement } from "effect/sql"
import type { DatabaseSync } from "node:sqlite"
import { sqlFailure } from "./SqliteFailure.ts"
import { runStatement } from "./SqliteStatement.ts"
import type { Row, Statements } from "./SqliteStatement.ts"

type Read = Statement.Statement<unknown>

interface Connection {
  readonly database: DatabaseSync
  readonly statements: Statements
}

/** Of the clients that can. */
const known = new WeakMap<SqlClient.SqlClient, Connection>()

/** From now on `directRead` finds the client. */
export const offerDirectReads = (sql: SqlClient.SqlClient, connection: Connection): void => {
  known.set(sql, connection)
}

const rowsOf = (
  { statements }: Connection,
  read: Read,
  safeIntegers: boolean
): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> =>
  Effect.try({
    try: () => {
      const [sql, params] = read.compile()
      return runStatement(statements.get(sql, true), params, { safeIntegers, arrays: false }).rows
    },
    catch: sqlFailure("execute")
  })

/** Reads in one go where that is possible, and otherwise as the statement does, with a span while traces are collected. */
export const directRead = (
  sql: SqlClient.SqlClient,
  read: Read
): Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError> => {
  const connection = known.get(sql)
  return connection === undefined ?
    read :
    Effect.withFiber((fiber) =>
      connection.database.isTransaction || fiber.getRef(References.TracerEnabled) ||
        Context.getOrUndefined(fiber.context, sql.transactionService) !== undefined
        ? read
        : rowsOf(connection, read, fiber.getRef(SqlClient.SafeIntegers))
    )
}
