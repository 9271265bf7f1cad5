/**
 * Losses from reverted calls in SQL, one text for both engines. One row is locked while the losses are summed, so that
 * concurrent reservations see each other.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CALL_LOSSES_WINDOW_MS, CallLosses } from "../../../ports/store/ledger/CallLosses.ts"
import type { CallLoss } from "../../../ports/store/ledger/CallLosses.ts"
import { hasRoom, inFlightOf } from "../../../src/domain/transfer/payment/CallLossRoom.ts"
import type { CallLossSums, RiskInFlight } from "../../../src/domain/transfer/payment/CallLossRoom.ts"
import { makeRecentRead } from "../../../ports/store/operations/RecentRead.ts"
import { SlowPoll } from "../../../ports/store/operations/SlowPoll.ts"
import { StoreNotices } from "../../../ports/store/operations/StoreNotices.ts"
import { UintText } from "../engine/Columns.ts"
import * as SqlStoreNotices from "../operations/StoreNotices.ts"
import { storeCall } from "../StoreCall.ts"

const decodeSum = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ total: UintText })]))
const SumRow = Schema.Struct({
  kind: Schema.Literals(["calls", "lost", "swap"]),
  is_own: Schema.Literals([0, 1]),
  total: UintText
})
const decodeSums = Schema.decodeUnknownEffect(Schema.Array(SumRow))

const sumsOf = (rows: ReadonlyArray<typeof SumRow.Type>): CallLossSums => {
  const sumOf = (kind: keyof CallLossSums) => rows.reduce((sum, row) => row.kind === kind ? sum + row.total : sum, 0n)
  return { calls: sumOf("calls"), lost: sumOf("lost"), swap: sumOf("swap") }
}

export const layer = Layer.effect(
  CallLosses,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { heard } = yield* StoreNotices

    const keep = ({ orderId, sender, usdMicros }: CallLoss, at: number, kind: RiskInFlight | undefined) => {
      const row = { sender, usd_micros: usdMicros.toString(), counted_at: at, in_flight: kind ?? null }
      return sql`INSERT INTO call_losses ${sql.insert({ order_id: orderId, ...row })}
                 ON CONFLICT (order_id) DO UPDATE SET ${sql.update(row)}`
    }

    const spent: CallLosses["Service"]["spent"] = (at) =>
      sql`SELECT CAST(COALESCE(SUM(CAST(usd_micros AS BIGINT)), 0) AS TEXT) AS total FROM call_losses WHERE counted_at > ${
        at - CALL_LOSSES_WINDOW_MS
      } AND (in_flight IS NULL OR in_flight <> 'swap')`.pipe(
        Effect.flatMap(decodeSum),
        Effect.map(([{ total }]) => total),
        storeCall("CallLosses.spent")
      )

    const { forget, recent } = makeRecentRead(yield* SlowPoll, heard("call-losses"), spent)

    const reserve: CallLosses["Service"]["reserve"] = (risk, caps, at) =>
      sql.withTransaction(Effect.gen(function*() {
        yield* sql`INSERT INTO call_loss_lock ${sql.insert({ id: 1, taken: 0 })}
                   ON CONFLICT (id) DO UPDATE SET taken = call_loss_lock.taken + 1`
        // Rows are kept for another window after they stop counting, because workers' clocks differ.
        yield* sql`DELETE FROM call_losses WHERE counted_at <= ${at - 2 * CALL_LOSSES_WINDOW_MS}`
        const rows = yield* decodeSums(
          yield* sql`SELECT COALESCE(in_flight, 'lost') AS kind, CASE WHEN sender = ${risk.sender} THEN 1 ELSE 0 END AS is_own,
                            CAST(SUM(CAST(usd_micros AS BIGINT)) AS TEXT) AS total
                     FROM call_losses WHERE counted_at > ${at - CALL_LOSSES_WINDOW_MS} AND order_id <> ${risk.orderId}
                     GROUP BY 1, 2`
        )
        const own = sumsOf(rows.filter(({ is_own }) => is_own === 1))
        if (!hasRoom(risk.kind, risk.usdMicros, caps, sumsOf(rows), own)) return false
        yield* keep(risk, at, inFlightOf(risk.kind))
        return true
      })).pipe(Effect.tap(() => Effect.sync(forget)), storeCall("CallLosses.reserve"))

    const settle: CallLosses["Service"]["settle"] = (loss, at) =>
      (loss.usdMicros === 0n
        ? sql`DELETE FROM call_losses WHERE order_id = ${loss.orderId}`
        : keep(loss, at, undefined)).pipe(
          Effect.map(() => forget()),
          storeCall("CallLosses.settle")
        )

    return CallLosses.of({ reserve, settle, spent, recentlySpent: recent })
  })
).pipe(Layer.provide(SqlStoreNotices.layer))
