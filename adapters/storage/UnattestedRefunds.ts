/**
 * What is given back without oracles, in SQL, one text for both engines. One row is locked while the others are summed, so
 * that two that ask at once see each other.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { UNATTESTED_WINDOW_MS, UnattestedRefunds } from "../../ports/UnattestedRefunds.ts"
import { UintText } from "./engine/Columns.ts"
import { storeCall } from "./StoreCall.ts"

const decodeOwn = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ usd_micros: UintText })))
const decodeSum = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ total: UintText })]))

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
        const since = at - UNATTESTED_WINDOW_MS
        const [kept] = yield* decodeOwn(
          yield* sql`SELECT usd_micros FROM unattested_refunds WHERE onchain_id = ${onchainId} AND reserved_at > ${since}`
        )
        // None that is kept is above the cap, so that each fits.
        const [{ total: others }] = yield* decodeSum(
          yield* sql`SELECT CAST(COALESCE(SUM(CAST(usd_micros AS BIGINT)), 0) AS TEXT) AS total FROM unattested_refunds
                     WHERE reserved_at > ${since} AND onchain_id <> ${onchainId}`
        )
        const own = kept?.usd_micros ?? usdMicros
        if (others + own > cap) return false
        const row = { onchain_id: onchainId, usd_micros: own.toString(), reserved_at: at }
        yield* sql`INSERT INTO unattested_refunds ${sql.insert(row)}
                   ON CONFLICT (onchain_id) DO UPDATE SET usd_micros = ${row.usd_micros}, reserved_at = ${at}`
        return true
      })).pipe(storeCall("UnattestedRefunds.reserve"))

    return UnattestedRefunds.of({ reserve })
  })
)
