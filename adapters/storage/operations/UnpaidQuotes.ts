/** Unpaid quotes in SQL, one text for both engines except for a lock that only PostgreSQL needs. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { UnpaidQuotes } from "../../../ports/store/operations/UnpaidQuotes.ts"
import { Order, OrderId } from "../../../src/domain/order/Order.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { TransferTerms } from "../../../src/domain/transfer/Transfer.ts"
import { JsonText, Millis } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"

const Row = Schema.Struct({
  id: RequestId,
  quoted_at: Millis,
  order_json: JsonText(Order),
  terms: JsonText(TransferTerms)
})
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
const decodeOrders = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: RequestId, order_id: OrderId })))

export const layer = Layer.effect(
  UnpaidQuotes,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    // Leaves out quotes with a deposit address, because an address may be paid at any time.
    const list: UnpaidQuotes["Service"]["list"] = (quotedBefore, after, limit) =>
      sql`SELECT id, quoted_at, order_json, terms FROM transfers
          WHERE status = 'waiting' AND deposit_address IS NULL AND quoted_at < ${quotedBefore} AND (quoted_at, id) > (${
        after?.quotedAt ?? -1
      }, ${after?.id ?? ""})
          ORDER BY quoted_at, id LIMIT ${limit}`.pipe(
        Effect.flatMap(decodeRows),
        Effect.map((rows) =>
          rows.map(({ id, order_json, quoted_at, terms }) => ({ id, quotedAt: quoted_at, order: order_json, terms }))
        ),
        storeCall("UnpaidQuotes.list")
      )

    /**
     * Waits for transactions that record a deposit now, and makes later ones wait: a deposit that `unpaid` does not see
     * is recorded after the quote is gone. SQLite has one writer at a time anyway.
     */
    const lockSightings = sql.onDialectOrElse({
      pg: () => Effect.asVoid(sql`LOCK TABLE deposits, permit_submissions, sends IN SHARE ROW EXCLUSIVE MODE`),
      orElse: () => Effect.void
    })

    /** Those for which nothing was ever recorded. Their rows are locked until the end of the transaction. */
    const unpaid = (ids: ReadonlyArray<RequestId>) =>
      sql`UPDATE transfers SET updated_at = updated_at
          WHERE ${sql.in("id", ids)} AND status = 'waiting' AND deposit_address IS NULL
            AND NOT EXISTS (SELECT 1 FROM deposits WHERE deposits.deposit_id = transfers.order_id)
            AND NOT EXISTS (SELECT 1 FROM payments WHERE payments.order_id = transfers.order_id)
            AND NOT EXISTS (SELECT 1 FROM permit_submissions WHERE permit_submissions.order_id = transfers.order_id AND permit_submissions.state <> 'void')
            AND NOT EXISTS (SELECT 1 FROM sends WHERE sends.order_id = transfers.order_id AND sends.state <> 'awaited')
          RETURNING id, order_id`

    const forget: UnpaidQuotes["Service"]["forget"] = (ids) =>
      sql.withTransaction(Effect.gen(function*() {
        yield* lockSightings
        const gone = yield* decodeOrders(yield* unpaid(ids))
        if (gone.length === 0) return 0
        const requests = gone.map(({ id }) => id)
        yield* sql`DELETE FROM transfer_events WHERE ${sql.in("transfer_id", requests)}`
        yield* sql`DELETE FROM sends WHERE ${sql.in("order_id", gone.map(({ order_id }) => order_id))}`
        yield* sql`DELETE FROM transfers WHERE ${sql.in("id", requests)}`
        return gone.length
      })).pipe(storeCall("UnpaidQuotes.forget"))

    return UnpaidQuotes.of({ list, forget: (ids) => ids.length === 0 ? Effect.succeed(0) : forget(ids) })
  })
)
