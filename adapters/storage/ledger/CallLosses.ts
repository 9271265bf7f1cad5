/**
 * Losses from reverted calls in SQL, one text for both engines. One row is locked while the losses are summed, so that
 * concurrent reservations see each other.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CALL_LOSSES_WINDOW_MS, CallLosses } from "../../../ports/store/ledger/CallLosses.ts"
import type { CallLoss } from "../../../ports/store/ledger/CallLosses.ts"
import { makeRecentRead } from "../../../ports/store/operations/RecentRead.ts"
import { SlowPoll } from "../../../ports/store/operations/SlowPoll.ts"
import { StoreNotices } from "../../../ports/store/operations/StoreNotices.ts"
import { UintText } from "../engine/Columns.ts"
import * as SqlStoreNotices from "../operations/StoreNotices.ts"
import { storeCall } from "../StoreCall.ts"

const decodeSum = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ total: UintText })]))
const decodeSums = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ total: UintText, own: UintText })]))

export const layer = Layer.effect(
  CallLosses,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { heard } = yield* StoreNotices

    const keep = ({ orderId, sender, usdMicros }: CallLoss, at: number) =>
      sql`INSERT INTO call_losses ${
        sql.insert({ order_id: orderId, sender, usd_micros: usdMicros.toString(), counted_at: at })
      }
          ON CONFLICT (order_id) DO UPDATE SET sender = ${sender}, usd_micros = ${usdMicros.toString()}, counted_at = ${at}`

    const spent: CallLosses["Service"]["spent"] = (at) =>
      sql`SELECT CAST(COALESCE(SUM(CAST(usd_micros AS BIGINT)), 0) AS TEXT) AS total FROM call_losses WHERE counted_at > ${
        at - CALL_LOSSES_WINDOW_MS
      }`.pipe(
        Effect.flatMap(decodeSum),
        Effect.map(([{ total }]) => total),
        storeCall("CallLosses.spent")
      )

    const { forget, recent } = makeRecentRead(yield* SlowPoll, heard("call-losses"), spent)

    const reserve: CallLosses["Service"]["reserve"] = (loss, caps, at) =>
      sql.withTransaction(Effect.gen(function*() {
        yield* sql`INSERT INTO call_loss_lock ${sql.insert({ id: 1, taken: 0 })}
                   ON CONFLICT (id) DO UPDATE SET taken = call_loss_lock.taken + 1`
        // Rows are kept for another window after they stop counting, because workers' clocks differ.
        yield* sql`DELETE FROM call_losses WHERE counted_at <= ${at - 2 * CALL_LOSSES_WINDOW_MS}`
        const [{ own, total }] = yield* decodeSums(
          yield* sql`SELECT CAST(COALESCE(SUM(CAST(usd_micros AS BIGINT)), 0) AS TEXT) AS total,
                            CAST(COALESCE(SUM(CASE WHEN sender = ${loss.sender} THEN CAST(usd_micros AS BIGINT) ELSE 0 END), 0) AS TEXT) AS own
                     FROM call_losses WHERE counted_at > ${at - CALL_LOSSES_WINDOW_MS} AND order_id <> ${loss.orderId}`
        )
        if (total + loss.usdMicros > caps.all || own + loss.usdMicros > caps.sender) return false
        yield* keep(loss, at)
        return true
      })).pipe(Effect.tap(() => Effect.sync(forget)), storeCall("CallLosses.reserve"))

    const settle: CallLosses["Service"]["settle"] = (loss, at) =>
      (loss.usdMicros === 0n ? sql`DELETE FROM call_losses WHERE order_id = ${loss.orderId}` : keep(loss, at)).pipe(
        Effect.map(() => forget()),
        storeCall("CallLosses.settle")
      )

    return CallLosses.of({ reserve, settle, spent, recentlySpent: recent })
  })
).pipe(Layer.provide(SqlStoreNotices.layer))
