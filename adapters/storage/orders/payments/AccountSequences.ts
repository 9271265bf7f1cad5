/** The sequences of paying accounts, each taken once. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Address } from "../../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { UintText } from "../../engine/Columns.ts"

const decodeNext = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ next: UintText })))

export const accountSequences = (sql: SqlClient.SqlClient) => {
  /**
   * The next sequence of an account: what we counted, unless the chain is further. The upsert takes the row's lock.
   */
  const lockSequence = Effect.fnUntraced(function*(chainId: ChainId, account: Address, chainSequence: bigint) {
    const row = { chain_id: chainId, account, next: chainSequence.toString(), first: chainSequence.toString() }
    const [held] = yield* decodeNext(
      yield* sql`INSERT INTO account_sequences ${sql.insert(row)}
                 ON CONFLICT (chain_id, account) DO UPDATE SET next = account_sequences.next RETURNING next`
    )
    return held === undefined || held.next < chainSequence ? chainSequence : held.next
  })

  const takeSequence = (chainId: ChainId, account: Address, sequence: bigint) =>
    sql`UPDATE account_sequences SET next = ${(sequence + 1n).toString()}
        WHERE chain_id = ${chainId} AND account = ${account}`

  return { lockSequence, takeSequence }
}
