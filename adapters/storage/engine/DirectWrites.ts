/**
 * Writes that SQLite makes in one go, as a transaction by themselves: no other work runs between them, so they need no
 * connection, scope or context of their own. Some twenty steps of Effect instead of two hundred.
 */
import { Context, Effect, References } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError, Statement } from "effect/sql"
import type { DatabaseSync } from "node:sqlite"
import { untilDurable } from "./SharedCommit.ts"
import type { CommitGroup, CommitGroups } from "./SharedCommit.ts"
import { sqlFailure } from "./SqliteFailure.ts"
import { runStatement } from "./SqliteStatement.ts"
import type { Row, Statements } from "./SqliteStatement.ts"

type Writes = ReadonlyArray<Statement.Statement<unknown>>

/** Returns the rows of the last one. */
type DirectWrites = (writes: Writes) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>

/** Of the clients that can. */
const known = new WeakMap<SqlClient.SqlClient, DirectWrites>()

const SAVEPOINT = "causeway_writes"

export interface SharedConnection {
  readonly database: DatabaseSync
  readonly groups: CommitGroups
  readonly statements: Statements
  /** Holds the connection while the effect runs. */
  readonly alone: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

const makeDirectWrites = ({ alone, database, groups, statements }: SharedConnection): DirectWrites => {
  const control = (sql: string): void => void statements.get(sql, true).statement.run()

  /** Throws what SQLite throws, and then has written nothing. */
  const writeAll = (writes: Writes, safeIntegers: boolean): ReadonlyArray<Row> => {
    let rows: ReadonlyArray<Row> = []
    control(`SAVEPOINT ${SAVEPOINT}`)
    try {
      for (const write of writes) {
        const [sql, params] = write.compile()
        rows = runStatement(statements.get(sql, true), params, { safeIntegers, arrays: false }).rows
      }
      control(`RELEASE SAVEPOINT ${SAVEPOINT}`)
      return rows
    } catch (cause) {
      // SQLite may have rolled back everything by itself, as on a full disk. Then the shared COMMIT fails, too.
      if (database.isTransaction) {
        control(`ROLLBACK TO SAVEPOINT ${SAVEPOINT}`)
        control(`RELEASE SAVEPOINT ${SAVEPOINT}`)
      }
      throw cause
    }
  }

  return (writes) =>
    Effect.withFiber((fiber) => {
      const safeIntegers = fiber.getRef(SqlClient.SafeIntegers)
      let joined: CommitGroup | undefined
      // Lent until the end: the fiber may have to yield in between, and the group must not be committed then.
      const written = groups.lend.pipe(
        Effect.andThen(groups.join),
        Effect.flatMap((group) => {
          joined = group
          return Effect.try({ try: () => writeAll(writes, safeIntegers), catch: sqlFailure("execute") })
        }),
        Effect.ensuring(groups.giveBack)
      )
      // A failure waits, too: it may tell what others wrote in the same group.
      return Effect.onExit(alone(written), () => joined === undefined ? Effect.void : untilDurable(joined))
    })
}

/** From now on `directWrites` finds the client. */
export const offerDirectWrites = (sql: SqlClient.SqlClient, shared: SharedConnection): void => {
  known.set(sql, makeDirectWrites(shared))
}

/**
 * Makes the writes in one go where the client can. Otherwise as `otherwise` does: on another engine, within a
 * transaction, which they would have to join, and while traces are collected, in which each statement is a span.
 */
export const directWrites = (
  sql: SqlClient.SqlClient,
  writes: Writes,
  otherwise: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>
): Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError> => {
  const write = known.get(sql)
  return write === undefined ? otherwise : Effect.withFiber((fiber) =>
    fiber.getRef(References.TracerEnabled) ||
      Context.getOrUndefined(fiber.context, sql.transactionService) !== undefined
      ? otherwise
      : write(writes)
  )
}
