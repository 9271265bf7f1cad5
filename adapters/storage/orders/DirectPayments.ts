/** Direct payments in SQL, one text for both engines. A row is added with its transfer (`Transfers.ts`). */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import { DirectPayments } from "../../../ports/store/orders/DirectPayments.ts"
import type { SeenDirectPayment } from "../../../ports/store/orders/DirectPayments.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { StoredBlockRef } from "../../../src/domain/transfer/deposit/StoredBlockRef.ts"
import { JsonText } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"
import { writeTogether } from "../WriteTogether.ts"
import { beginScan } from "./rows/SendCursorRow.ts"

const BlockJson = JsonText(StoredBlockRef)
const encodeBlock = Schema.encodeEffect(BlockJson)
const decodeCursors = Schema.decodeUnknownEffect(Schema.Array(Cursor))
const decodeSeen = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ order_id: OrderId, transaction_id: TransactionId, block: BlockJson }))
)

const toSeen = (
  { block, order_id, transaction_id }: Effect.Success<ReturnType<typeof decodeSeen>>[number]
): SeenDirectPayment => ({
  orderId: order_id,
  transactionId: transaction_id,
  block
})

export const layer = Layer.effect(
  DirectPayments,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const anchor: DirectPayments["Service"]["anchor"] = (chainId, at) =>
      writeTogether(sql, beginScan(sql, chainId, at)).pipe(Effect.asVoid, storeCall("Sends.anchor"))

    const cursor: DirectPayments["Service"]["cursor"] = (chainId) =>
      sql`SELECT height, hash FROM send_cursors WHERE chain_id = ${chainId}`.pipe(
        Effect.flatMap(decodeCursors),
        Effect.map(([row]) => row),
        storeCall("Sends.cursor")
      )

    const see = Effect.fnUntraced(function*({ block, orderId, transactionId }: SeenDirectPayment) {
      yield* sql`UPDATE sends SET state = 'seen', transaction_id = ${transactionId}, block = ${yield* encodeBlock(
        block
      )}
                 WHERE order_id = ${orderId} AND state = 'awaited'`
    })

    const record: DirectPayments["Service"]["record"] = (chainId, { hash, height }, seen) =>
      sql.withTransaction(Effect.andThen(
        Effect.forEach(seen, see, { discard: true }),
        sql`UPDATE send_cursors SET height = ${height.toString()}, hash = ${hash} WHERE chain_id = ${chainId}`
      )).pipe(Effect.asVoid, storeCall("Sends.record"))

    const rest: DirectPayments["Service"]["rest"] = (chainId, since) =>
      sql.withTransaction(Effect.andThen(
        // A statement of its own: once it has the lock, the next one sees every send that the scan has begun for.
        sql.onDialectOrElse({
          pg: () => Effect.asVoid(sql`SELECT 1 FROM send_cursors WHERE chain_id = ${chainId} FOR UPDATE`),
          orElse: () => Effect.void
        }),
        sql`DELETE FROM send_cursors WHERE chain_id = ${chainId} AND NOT EXISTS (
              SELECT 1 FROM sends WHERE chain_id = ${chainId} AND (state = 'seen' OR (state = 'awaited' AND quoted_at >= ${since}))
            )`
      )).pipe(Effect.asVoid, storeCall("Sends.rest"))

    const unsettled: DirectPayments["Service"]["unsettled"] = (chainId) =>
      sql`SELECT order_id, transaction_id, block FROM sends WHERE chain_id = ${chainId} AND state = 'seen' ORDER BY quoted_at`
        .pipe(
          Effect.flatMap(decodeSeen),
          Effect.map((rows) => rows.map(toSeen)),
          storeCall("Sends.unsettled")
        )

    const settle: DirectPayments["Service"]["settle"] = (orderId) =>
      sql`UPDATE sends SET state = 'settled' WHERE order_id = ${orderId} AND state = 'seen'`.pipe(
        Effect.asVoid,
        storeCall("Sends.settle")
      )

    const lose: DirectPayments["Service"]["lose"] = (orderId) =>
      sql`UPDATE sends SET state = 'awaited', transaction_id = NULL, block = NULL WHERE order_id = ${orderId} AND state = 'seen'`
        .pipe(
          Effect.asVoid,
          storeCall("Sends.lose")
        )

    const find: DirectPayments["Service"]["find"] = (orderId) =>
      sql`SELECT order_id, transaction_id, block FROM sends WHERE order_id = ${orderId} AND transaction_id IS NOT NULL`
        .pipe(
          Effect.flatMap(decodeSeen),
          Effect.map(([row]) => row === undefined ? undefined : toSeen(row)),
          storeCall("Sends.find")
        )

    return DirectPayments.of({
      anchor,
      cursor,
      record,
      note: (seen) => see(seen).pipe(storeCall("Sends.note")),
      rest,
      unsettled,
      settle,
      lose,
      find
    })
  })
)
