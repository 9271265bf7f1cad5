/** A payment that another deposit of its order takes over, and what becomes of the deposit that had it. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { PaymentPurpose, Payments } from "../../../../ports/store/orders/Payments.ts"
import type { OrderId } from "../../../../src/domain/order/Order.ts"
import type { Deposit } from "../../../../src/domain/transfer/deposit/Deposit.ts"
import { storeCall } from "../../StoreCall.ts"
import { exclusivePayments } from "./ExclusivePayments.ts"
import { LegColumn, paymentReader, recordedAmount } from "./PaymentRows.ts"

const decodeLegs = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ leg: LegColumn })))

const isRefund = (leg: PaymentPurpose): boolean => leg.startsWith("refund:")

/** The purpose names the deposit of a refund, and of an excess. */
const handedLeg = (leg: PaymentPurpose, deposit: Deposit["onchainId"], as: "excess" | undefined): PaymentPurpose => {
  if (as === "excess") return `excess:${deposit}`
  return isRefund(leg) ? `refund:${deposit}` : leg
}

export const handedPayments = (sql: SqlClient.SqlClient) => {
  const { read } = paymentReader(sql)
  const { contended } = exclusivePayments(sql)

  const unfinishedRefunds: Payments["Service"]["unfinishedRefunds"] = (orderId) =>
    sql`SELECT p.leg FROM payments p LEFT JOIN deposits d ON d.onchain_id = p.deposit
        WHERE p.order_id = ${orderId} AND p.leg LIKE 'refund:%' AND p.state IN ('signed', 'sent', 'included')
          AND (d.state IS NULL OR d.state <> 'refunded') ORDER BY p.signed_at, p.leg`.pipe(
      Effect.flatMap(decodeLegs),
      Effect.flatMap((rows) => Effect.forEach(rows, ({ leg }) => read(orderId, leg))),
      Effect.map((found) => found.filter((payment) => payment !== undefined)),
      storeCall("Payments.unfinishedRefunds")
    )

  /**
   * True when the deposit can have what was a refund: as its refund, beside which nothing was paid for it; as its excess,
   * of which an order has one.
   */
  const isOpenFor = (orderId: OrderId, leg: PaymentPurpose, to: PaymentPurpose, deposit: Deposit["onchainId"]) => {
    if (!isRefund(leg)) return sql`1 = 1`
    const beside = to.startsWith("excess:") ? sql`other.leg LIKE 'excess:%'` : sql`other.deposit = ${deposit}`
    return sql`NOT EXISTS (SELECT 1 FROM payments other WHERE other.order_id = ${orderId} AND (
      other.leg = ${to} OR (${beside} AND other.state IN ('signed', 'sent', 'included'))))`
  }

  const handOver: Payments["Service"]["handOver"] = ({ deposit: from, leg, orderId }, deposit, at, as) =>
    sql.withTransaction(Effect.gen(function*() {
      const to = handedLeg(leg, deposit, as)
      // Whoever signs for the deposit holds its row, and sees what it has now.
      if (isRefund(leg)) yield* Effect.forEach(contended(orderId, to, deposit), (lock) => lock, { discard: true })
      const handed = yield* sql`UPDATE payments SET deposit = ${deposit}, leg = ${to},
            deposited = COALESCE(deposited, ${recordedAmount(sql, sql`${deposit}`)})
          WHERE order_id = ${orderId} AND leg = ${leg} AND deposit = ${from} AND ${
        isOpenFor(orderId, leg, to, deposit)
      } RETURNING order_id`
      if (handed.length === 0) return false
      // The new sighting prevents that a filling which has seen the deposit as paid closes it so.
      yield* sql`UPDATE deposits SET state = 'gone', sighting = sighting + 1, has_settlement = NULL
          WHERE onchain_id = ${from} AND state IN ('open', ${isRefund(leg) ? "refunded" : "filled"})`
      yield* sql`UPDATE settlements SET state = 'excluded', reason = NULL, leased_until = 0, ended_at = ${at}
          WHERE deposit = ${from} AND state IN ('open', 'refused')`
      yield* sql`UPDATE losses SET deposit = ${deposit}
          WHERE kind = 'payment' AND deposit = ${from} AND transaction_id IN (
            SELECT v.transaction_id FROM payments p
              JOIN payment_variants v ON v.chain_id = p.chain_id AND v.account = p.account AND v.sequence = p.sequence
              WHERE p.order_id = ${orderId} AND p.leg = ${to})`
      const recovered = yield* sql`UPDATE losses SET recovered_at = ${at}
          WHERE kind = 'deposit' AND deposit = ${from} AND recovered_at IS NULL RETURNING id`
      return recovered.length > 0
    })).pipe(storeCall("Payments.handOver"))

  return { handOver, unfinishedRefunds }
}
