/**
 * Writes that are made together: on PostgreSQL one statement, which is a transaction by itself and one round trip; on
 * SQLite, where a statement costs no round trip and cannot write to several tables, one after another in a transaction.
 *
 * SECURITY: on PostgreSQL each of them sees the store as it was before the first. So none may read what another one
 * writes, except by its name (a write with RETURNING), and no two may write the same row. What must see the row that a
 * lock protects goes into a statement of its own, after the one that takes the lock.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { directWrites } from "./engine/DirectWrites.ts"

export type Write = Statement.Statement<unknown>

/** A write whose rows others read by this name, on PostgreSQL alone. */
export interface Named {
  readonly as: string
  readonly write: Write
}

const named = (write: Write | Named, index: number): Named => "write" in write ? write : { as: `write_${index}`, write }

/** The rows that the last of the writes returns. */
export const writeTogether = (
  sql: SqlClient.SqlClient,
  writes: readonly [Write, ...ReadonlyArray<Write>] | readonly [...ReadonlyArray<Write | Named>, Write]
): Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError> => {
  const [last, ...reversed] = writes.map(named).toReversed()
  if (last === undefined) return Effect.succeed([])
  const before = reversed.toReversed()
  if (before.length === 0) return last.write
  return sql.onDialectOrElse({
    pg: () => sql`WITH ${sql.csv(before.map(({ as, write }) => sql`${sql(as)} AS (${write})`))} ${last.write}`,
    orElse: () =>
      directWrites(
        sql,
        [...before.map(({ write }) => write), last.write],
        Effect.forEach(before, ({ write }) => write, { discard: true }).pipe(
          Effect.andThen(last.write),
          sql.withTransaction
        )
      )
  })
}
