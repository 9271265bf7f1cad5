/** Inventory reserved for open requests, in SQL, one text for both engines. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import { InventoryReservations } from "../../../ports/store/orders/InventoryReservations.ts"
import type { InventoryClaims, InventoryReservation } from "../../../ports/store/orders/InventoryReservations.ts"
import type { Waiting } from "../../../src/domain/market/FreeInventory.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { Millis, UintText } from "../engine/Columns.ts"
import { writeTogether } from "../WriteTogether.ts"
import { storeCall } from "../StoreCall.ts"

/** A row of a fill that waits says since when; a row of a reservation does not. */
const decodeClaims = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({
    order_id: OrderId,
    amount: UintText,
    since: Schema.NullOr(Millis),
    until: Schema.NullOr(Millis)
  }))
)

const claimsOf = (rows: Effect.Success<ReturnType<typeof decodeClaims>>): InventoryClaims => {
  let [promised, largestPromise] = [0n, 0n]
  const waiting: Array<Waiting> = []
  for (const { amount, order_id: orderId, since, until } of rows) {
    if (since === null || until === null) {
      promised += amount
      if (amount > largestPromise) largestPromise = amount
    } else waiting.push({ orderId, amount, since, until })
  }
  return { promised, largestPromise, waiting }
}

const tables = { output: "promises", topup: "topup_promises" } as const

const rowOf = ({ amount, chainId, currency, holding, orderId }: InventoryReservation) => ({
  order_id: orderId,
  chain_id: chainId,
  currency,
  holding,
  amount: amount.toString()
})

/** A part of an order's inventory is reserved, or another amount of it. */
export const keptReservation = (sql: SqlClient.SqlClient, reserved: InventoryReservation) => {
  const row = rowOf(reserved)
  return sql`INSERT INTO ${sql(tables[reserved.part])} ${
    sql.insert(row)
  } ON CONFLICT (order_id) DO UPDATE SET amount = ${row.amount}`
}

/** An order takes no inventory any more, and waits for none. */
export const clearedReservations = (sql: SqlClient.SqlClient, orderId: OrderId | Statement.Fragment) =>
  [
    sql`DELETE FROM promises WHERE order_id = ${orderId}`,
    sql`DELETE FROM topup_promises WHERE order_id = ${orderId}`,
    sql`DELETE FROM waiting_fills WHERE order_id = ${orderId}`
  ] as const

export const layer = Layer.effect(
  InventoryReservations,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const upsert = (promised: InventoryReservation) => keptReservation(sql, promised)

    const note: InventoryReservations["Service"]["note"] = (promised) =>
      upsert(promised).pipe(Effect.asVoid, storeCall("InventoryReservations.note"))

    const unpromise = (orderId: OrderId) =>
      Effect.forEach(
        [tables.output, tables.topup],
        (table) => sql`DELETE FROM ${sql(table)} WHERE order_id = ${orderId}`,
        {
          discard: true
        }
      )

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
      }, { discard: true }).pipe(sql.withTransaction, storeCall("InventoryReservations.wait"))

    const take: InventoryReservations["Service"]["take"] = (parts) =>
      Effect.forEach(parts, (part) => Effect.andThen(unwait(part.orderId), upsert(part)), { discard: true }).pipe(
        sql.withTransaction,
        storeCall("InventoryReservations.take")
      )

    const clear: InventoryReservations["Service"]["clear"] = (orderId) =>
      writeTogether(sql, clearedReservations(sql, orderId)).pipe(
        Effect.asVoid,
        storeCall("InventoryReservations.clear")
      )

    const claims: InventoryReservations["Service"]["claims"] = ({ chainId, currency, holding }) => {
      const place = sql`chain_id = ${chainId} AND currency = ${currency} AND holding = ${holding}`
      return sql`SELECT order_id, amount, since, until FROM waiting_fills WHERE ${place}
                 UNION ALL SELECT order_id, amount, NULL, NULL FROM promises WHERE ${place}
                 UNION ALL SELECT order_id, amount, NULL, NULL FROM topup_promises WHERE ${place}
                 ORDER BY since, order_id`.pipe(
        Effect.flatMap(decodeClaims),
        Effect.map(claimsOf),
        storeCall("InventoryReservations.claims")
      )
    }

    return InventoryReservations.of({ note, wait, take, claims, clear })
  })
)
