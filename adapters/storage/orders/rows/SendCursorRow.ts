/** Where the scan of a chain for its users' own payments (`sends`) is. */
import type { SqlClient } from "effect/sql"
import type { Cursor } from "../../../../ports/chain/DepositWatcher.ts"
import type { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import type { Named, Write } from "../../WriteTogether.ts"

/**
 * Begins the scan, unless it has begun. Together with the row of a send: `rest` looks for such rows once it has the
 * cursor's lock, so on PostgreSQL what the scan has begun for is seen, or the cursor is made anew.
 */
export const beginScan = (
  sql: SqlClient.SqlClient,
  chainId: ChainId,
  { hash, height }: Cursor
): readonly [...ReadonlyArray<Named>, Write] => {
  const at = height.toString()
  return sql.onDialectOrElse({
    pg: () => [
      { as: "begun", write: sql`SELECT 1 FROM send_cursors WHERE chain_id = ${chainId} FOR KEY SHARE` },
      sql`INSERT INTO send_cursors (chain_id, height, hash)
          SELECT CAST(${chainId} AS BIGINT), CAST(${at} AS TEXT), CAST(${hash} AS TEXT)
          WHERE NOT EXISTS (SELECT 1 FROM begun)
          ON CONFLICT (chain_id) DO UPDATE SET height = send_cursors.height`
    ],
    orElse: () => [
      sql`INSERT INTO send_cursors ${sql.insert({ chain_id: chainId, height: at, hash })}
          ON CONFLICT (chain_id) DO NOTHING`
    ]
  })
}
