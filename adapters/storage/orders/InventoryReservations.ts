/** Inventory reserved for open requests, in SQL, one text for both engines. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { InventoryReservations } from "../../../ports/store/orders/InventoryReservations.ts"
import type { InventoryReservation } from "../../../ports/store/orders/InventoryReservations.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { Millis, UintText } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"

const decodeWaiting = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ order_id: OrderId, amount: UintText, since: Millis, until: Millis }))
)
const decodeAmounts = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ amount: UintText })))

export const layer = Layer.effect(
  InventoryReservations,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const tables = { output: sql.literal("promises"), topup: sql.literal("topup_promises") }

    const rowOf = ({ amount, chainId, currency, holding, orderId }: InventoryReservation) => ({
      order_id: orderId,
      chain_id: chainId,
      currency,
      holding,
      amount: amount.toString()
    })

    const upsert = (promised: InventoryReservation) => {
      const row = rowOf(promised)
      return sql`INSERT INTO ${tables[promised.part]} ${
        sql.insert(row)
      } ON CONFLICT (order_id) DO UPDATE SET amount = ${row.amount}`
    }

    const note: InventoryReservations["Service"]["note"] = (promised) =>
      upsert(promised).pipe(Effect.asVoid, storeCall("Promises.note"))

    const unpromise = (orderId: OrderId) =>
      Effect.forEach([tables.output, tables.topup], (table) => sql`DELETE FROM ${table} WHERE order_id = ${orderId}`, {
        discard: true
      })

    const unwait = (orderId: OrderId) => sql`DELETE FROM waiting_fills WHERE order_id = ${orderId}`

    const wait: InventoryReservations["Service"]["wait"] = (parts, { since, until }) =>
      Effect.forEach(parts, (part) => {
        const row = { ...rowOf(part), since, until }
        return Effect.andThen(
          unpromise(part.orderId),
          sql`INSERT INTO waiting_fills ${
            sql.insert(row)
          } ON CONFLICT (order_id, currency) DO UPDATE SET amount = ${row.amount}`
        )
      }, { discard: true }).pipe(sql.withTransaction, storeCall("Promises.wait"))

    const take: InventoryReservations["Service"]["take"] = (parts) =>
      Effect.forEach(parts, (part) => Effect.andThen(unwait(part.orderId), upsert(part)), { discard: true }).pipe(
        sql.withTransaction,
        storeCall("Promises.take")
      )

    const waiting: InventoryReservations["Service"]["waiting"] = ({ chainId, currency, holding }) =>
      sql`SELECT order_id, amount, since, until FROM waiting_fills
          WHERE chain_id = ${chainId} AND currency = ${currency} AND holding = ${holding} ORDER BY since, order_id`
        .pipe(
          Effect.flatMap(decodeWaiting),
          Effect.map((rows) => rows.map(({ order_id, ...rest }) => ({ orderId: order_id, ...rest }))),
          storeCall("Promises.waiting")
        )

    const clear: InventoryReservations["Service"]["clear"] = (orderId) =>
      Effect.andThen(unpromise(orderId), unwait(orderId)).pipe(
        Effect.asVoid,
        sql.withTransaction,
        storeCall("Promises.clear")
      )

    const total: InventoryReservations["Service"]["total"] = ({ chainId, currency, holding }) =>
      sql`SELECT amount FROM (SELECT * FROM promises UNION ALL SELECT * FROM topup_promises) AS promised
          WHERE chain_id = ${chainId} AND currency = ${currency} AND holding = ${holding}`.pipe(
        Effect.flatMap(decodeAmounts),
        Effect.map((rows) => rows.reduce((sum, { amount }) => sum + amount, 0n)),
        storeCall("Promises.total")
      )

    return InventoryReservations.of({ note, wait, take, waiting, clear, total })
  })
)
