/**
 * Exposure to deposits that are not final, in SQL, one text for both engines. Each chain has a row that is locked while
 * its exposures are summed, so that concurrent calls see each other.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Exposures } from "../../../ports/store/orders/Exposures.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { UintText } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"

const Row = Schema.Struct({ onchain_id: Hex32, account: Address, usd_micros: UintText })
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

const sumOf = (rows: ReadonlyArray<typeof Row.Type>): bigint =>
  rows.reduce((sum, { usd_micros }) => sum + usd_micros, 0n)

export const layer = Layer.effect(
  Exposures,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const take: Exposures["Service"]["take"] = ({ chainId, onchainId, usdMicros, user }, caps) =>
      sql.withTransaction(Effect.gen(function*() {
        const locked = yield* sql`INSERT INTO exposure_locks (chain_id, taken) SELECT CAST(${chainId} AS BIGINT), 0
          WHERE NOT EXISTS (SELECT 1 FROM pauses WHERE id = ${`halt:${chainId}`})
          ON CONFLICT (chain_id) DO UPDATE SET taken = exposure_locks.taken + 1 RETURNING chain_id`
        if (locked.length === 0) return false
        const rows = yield* decodeRows(
          yield* sql`SELECT onchain_id, account, usd_micros FROM exposures WHERE chain_id = ${chainId}`
        )
        if (rows.some(({ onchain_id }) => onchain_id === onchainId)) return true
        const ofUser = rows.filter(({ account }) => account === user)
        if (sumOf(rows) + usdMicros > caps.chain || sumOf(ofUser) + usdMicros > caps.user) return false
        yield* sql`INSERT INTO exposures ${
          sql.insert({ onchain_id: onchainId, chain_id: chainId, account: user, usd_micros: usdMicros.toString() })
        }`
        return true
      })).pipe(storeCall("Exposures.take"))

    return Exposures.of({ take })
  })
)
