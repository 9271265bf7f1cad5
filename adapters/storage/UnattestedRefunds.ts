/**
 * What is given back without oracles, in SQL, one text for both engines. One row is locked while the others are summed, so
 * that two that ask at once see each other.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { UNATTESTED_WINDOW_MS, UnattestedRefunds } from "../../ports/UnattestedRefunds.ts"
import { Hex32 } from "../../src/domain/chain/Hex.ts"
import { UintText } from "./engine/Columns.ts"
import { storeCall } from "./StoreCall.ts"

const Row = Schema.Struct({ onchain_id: Hex32, usd_micros: UintText })
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

/** What no longer counts is kept for as long again: clocks of workers differ. */
const KEPT_MS = 2 * UNATTESTED_WINDOW_MS

export const layer = Layer.effect(
  UnattestedRefunds,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const reserve: UnattestedRefunds["Service"]["reserve"] = ({ onchainId, usdMicros }, cap, at) =>
      sql.withTransaction(Effect.gen(function*() {
        yield* sql`INSERT INTO unattested_refund_lock ${sql.insert({ id: 1, taken: 0 })}
                   ON CONFLICT (id) DO UPDATE SET taken = unattested_refund_lock.taken + 1`
        yield* sql`DELETE FROM unattested_refunds WHERE reserved_at <= ${at - KEPT_MS}`
        const counting = yield* decodeRows(
          yield* sql`SELECT onchain_id, usd_micros FROM unattested_refunds WHERE reserved_at > ${at - UNATTESTED_WINDOW_MS}`
        )
        const own = counting.find(({ onchain_id }) => onchain_id === onchainId)?.usd_micros ?? usdMicros
        const others = counting.reduce((sum, { onchain_id, usd_micros }) => onchain_id === onchainId ? sum : sum + usd_micros, 0n)
        if (others + own > cap) return false
        const row = { onchain_id: onchainId, usd_micros: own.toString(), reserved_at: at }
        yield* sql`INSERT INTO unattested_refunds ${sql.insert(row)}
                   ON CONFLICT (onchain_id) DO UPDATE SET usd_micros = ${row.usd_micros}, reserved_at = ${at}`
        return true
      })).pipe(storeCall("UnattestedRefunds.reserve"))

    return UnattestedRefunds.of({ reserve })
  })
)
