/** The sequences of paying accounts, each taken once. */
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Address } from "../../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { UintText } from "../../engine/Columns.ts"
import { writeTogether } from "../../WriteTogether.ts"

const decodeNext = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ next: UintText })))

export const accountSequences = (sql: SqlClient.SqlClient) => {
  const nextOf = (rows: ReadonlyArray<unknown>, chainSequence: bigint) =>
    Effect.map(decodeNext(rows), ([row]) => {
      if (row === undefined) return undefined
      return row.next < chainSequence ? chainSequence : row.next
    })

  /**
   * The next sequence of an account: what we counted, unless the chain is further. The upsert takes the row's lock.
   */
  const lockSequence = Effect.fnUntraced(function*(chainId: ChainId, account: Address, chainSequence: bigint) {
    const row = { chain_id: chainId, account, next: chainSequence.toString(), first: chainSequence.toString() }
    const rows = yield* sql`INSERT INTO account_sequences ${sql.insert(row)}
                 ON CONFLICT (chain_id, account) DO UPDATE SET next = account_sequences.next RETURNING next`
    return (yield* nextOf(rows, chainSequence)) ?? chainSequence
  })

  /**
   * The same for a signature: the locks of `before` and `first` are taken first. On PostgreSQL it is one statement, whose
   * insertion counts what they have locked, and so waits for them. Undefined, without the account's lock, while the chain's
   * restoration is open.
   */
  const lockToSign = Effect.fnUntraced(
    function*(
      { account, chainId, chainSequence }: {
        readonly chainId: ChainId
        readonly account: Address
        readonly chainSequence: bigint
      },
      before: ReadonlyArray<Statement.Statement<unknown>>,
      first: ReadonlyArray<Statement.Fragment>
    ) {
      const at = chainSequence.toString()
      const locks = before.map((write, index) => ({ as: `locked_${index}`, write: sql`${write} RETURNING 1 AS one` }))
      const conditions = [
        sql`NOT EXISTS (SELECT 1 FROM restorations WHERE chain_id = ${chainId} AND settled_at IS NULL)`,
        ...sql.onDialectOrElse({
          pg: () => [...first, ...locks.map(({ as }) => sql`(SELECT COUNT(*) FROM ${sql(as)}) >= 0`)],
          orElse: () => []
        })
      ]
      const rows = yield* writeTogether(sql, [
        ...locks,
        sql`INSERT INTO account_sequences (chain_id, account, next, first)
            SELECT CAST(${chainId} AS BIGINT), CAST(${account} AS TEXT), CAST(${at} AS TEXT), CAST(${at} AS TEXT)
            WHERE ${sql.and(conditions)}
            ON CONFLICT (chain_id, account) DO UPDATE SET next = account_sequences.next RETURNING next`
      ])
      return yield* nextOf(rows, chainSequence)
    }
  )

  const takeSequence = (chainId: ChainId, account: Address, sequence: bigint) =>
    sql`UPDATE account_sequences SET next = ${(sequence + 1n).toString()}
        WHERE chain_id = ${chainId} AND account = ${account}`

  return { lockSequence, lockToSign, takeSequence }
}
