/** Payments in SQL, one text for both engines. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import type { PaymentPurpose } from "../../../ports/store/orders/Payments.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { StoredBlockRef } from "../../../src/domain/transfer/deposit/StoredBlockRef.ts"
import { JsonText } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"
import { statusMoves } from "./StatusMoves.ts"
import { LegColumn, paymentReader } from "./payments/PaymentRows.ts"
import { heldPayments } from "./payments/HeldPayments.ts"
import { signedPayments } from "./payments/SignedPayments.ts"
import { handedPayments } from "./payments/HandedPayments.ts"
import { adoptedPayments } from "./payments/AdoptedPayments.ts"
import { replacedPayments } from "./payments/ReplacedPayments.ts"
import { paymentClaims } from "./payments/PaymentClaims.ts"

const decodeIncluded = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ order_id: OrderId, leg: LegColumn, block: JsonText(StoredBlockRef) }))
)

const encodeBlock = Schema.encodeEffect(JsonText(StoredBlockRef))

export const layer = Layer.effect(
  Payments,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { read } = paymentReader(sql)
    const { moveWith } = statusMoves(sql)
    const { freeClaims } = paymentClaims(sql)

    const halted = (orderId: OrderId, leg: PaymentPurpose) =>
      sql`SELECT id FROM pauses WHERE id IN (
            SELECT 'halt:' || CAST(chain_id AS TEXT) FROM payments WHERE order_id = ${orderId} AND leg = ${leg})`

    const recordOutcome: Payments["Service"]["recordOutcome"] = Effect.fnUntraced(
      function*(orderId, leg, { block, gasPaid, signedAs, state, transactionId }) {
        const text = yield* encodeBlock(block)
        const recorded =
          yield* sql`UPDATE payments SET state = ${state}, block = ${text}, gas_paid = ${gasPaid.toString()}, transaction_id = ${transactionId},
              raw = (SELECT raw FROM payment_variants WHERE transaction_id = ${signedAs ?? transactionId})
            WHERE order_id = ${orderId} AND leg = ${leg} AND NOT EXISTS (${halted(orderId, leg)}) RETURNING order_id`
        // None either where another process has set the payment aside, which decides nothing here.
        return recorded.length > 0 || (yield* halted(orderId, leg)).length === 0
      },
      storeCall("Payments.recordOutcome")
    )

    const recordSent: Payments["Service"]["recordSent"] = ({ leg, orderId, transactionId }, shown) => {
      const sent = sql`UPDATE payments SET state = 'sent'
          WHERE order_id = ${orderId} AND leg = ${leg} AND state = 'signed' AND transaction_id = ${transactionId}`
      const recorded = shown === undefined ? Effect.asVoid(sent) : Effect.asVoid(moveWith(shown.request, shown, [sent]))
      return recorded.pipe(storeCall("Payments.recordSent"))
    }

    const included: Payments["Service"]["included"] = (chainId, limit) =>
      sql`SELECT order_id, leg, block FROM payments WHERE chain_id = ${chainId} AND state = 'included' ORDER BY signed_at DESC LIMIT ${limit}`
        .pipe(
          Effect.flatMap(decodeIncluded),
          Effect.flatMap((names) =>
            Effect.forEach(
              names,
              ({ block, leg, order_id }) =>
                Effect.map(read(order_id, leg), (payment) => payment === undefined ? undefined : { ...payment, block })
            )
          ),
          Effect.map((found) => found.filter((payment) => payment !== undefined)),
          storeCall("Payments.included")
        )

    const setAside: Payments["Service"]["setAside"] = (payment) => {
      const { account, chainId, leg, orderId, sequence, transactionId, variants } = payment
      return sql`UPDATE payments SET leg = ${`${leg}!${transactionId}`}, state = 'void'
          WHERE order_id = ${orderId} AND leg = ${leg} AND transaction_id = ${transactionId}
            AND (SELECT COUNT(*) FROM payment_variants
                 WHERE chain_id = ${chainId} AND account = ${account} AND sequence = ${sequence.toString()}) = ${variants.length}`
        .pipe(
          // A statement of its own, which sees whether it was set aside.
          Effect.andThen(freeClaims(payment)),
          sql.withTransaction,
          Effect.asVoid,
          storeCall("Payments.setAside")
        )
    }

    const signed: Payments["Service"]["signed"] = (transactionId) =>
      sql`SELECT transaction_id FROM payment_variants WHERE transaction_id = ${transactionId}`.pipe(
        Effect.map((rows) => rows.length > 0),
        storeCall("Payments.signed")
      )

    return Payments.of({
      ...signedPayments(sql),
      ...heldPayments(sql),
      ...adoptedPayments(sql),
      ...replacedPayments(sql),
      ...handedPayments(sql),
      find: (orderId, leg) => read(orderId, leg).pipe(storeCall("Payments.find")),
      signed,
      recordSent,
      recordOutcome,
      included,
      setAside
    })
  })
)
