/** What is promised to open requests, in SQL, one text for both engines. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Promises } from "../../ports/Promises.ts"
import { UintText } from "./engine/Columns.ts"
import { storeCall } from "./StoreCall.ts"

const decodeAmounts = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ amount: UintText })))

export const layer = Layer.effect(
  Promises,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const tables = { output: sql.literal("promises"), topup: sql.literal("topup_promises") }

    const note: Promises["Service"]["note"] = ({ amount, chainId, currency, holding, orderId, part }) => {
      const row = { order_id: orderId, chain_id: chainId, currency, holding, amount: amount.toString() }
      return sql`INSERT INTO ${tables[part]} ${sql.insert(row)} ON CONFLICT (order_id) DO UPDATE SET amount = ${row.amount}`.pipe(
        Effect.asVoid,
        storeCall("Promises.note")
      )
    }

    const clear: Promises["Service"]["clear"] = (orderId) =>
      Effect.forEach([tables.output, tables.topup], (table) => sql`DELETE FROM ${table} WHERE order_id = ${orderId}`, { discard: true }).pipe(
        sql.withTransaction,
        storeCall("Promises.clear")
      )

    const total: Promises["Service"]["total"] = ({ chainId, currency, holding }) =>
      sql`SELECT amount FROM (SELECT * FROM promises UNION ALL SELECT * FROM topup_promises) AS promised
          WHERE chain_id = ${chainId} AND currency = ${currency} AND holding = ${holding}`.pipe(
        Effect.flatMap(decodeAmounts),
        Effect.map((rows) => rows.reduce((sum, { amount }) => sum + amount, 0n)),
        storeCall("Promises.total")
      )

    return Promises.of({ note, clear, total })
  })
)
