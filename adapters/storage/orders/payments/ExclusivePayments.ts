/** Which payments exclude each other: a deposit is filled or refunded, an order is delivered once. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { PaymentPurpose } from "../../../../ports/store/orders/Payments.ts"
import type { OrderId } from "../../../../src/domain/order/Order.ts"
import type { Deposit } from "../../../../src/domain/transfer/deposit/Deposit.ts"
import { LegColumn, paymentReader } from "./PaymentRows.ts"

const decodeLegs = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ leg: LegColumn })))

/** What an order is paid by on its destination: one of the two, for whichever of its deposits. */
export const isDelivery = (leg: PaymentPurpose): boolean => leg === "fill" || leg === "fallback"

export const exclusivePayments = (sql: SqlClient.SqlClient) => {
  const { read } = paymentReader(sql)

  /**
   * Which of the order's payments a leg of the deposit cannot stand beside: of the deposit all but a fill, or what is
   * delivered in its place, and its excess; of the order a fill beside that.
   */
  const excluding = (leg: PaymentPurpose, deposit: Deposit["onchainId"]) => {
    if (leg.startsWith("excess:")) {
      return sql`((p.deposit = ${deposit} AND p.leg NOT IN ('fill', 'fallback')) OR p.leg LIKE 'excess:%')`
    }
    return isDelivery(leg)
      ? sql`((p.deposit = ${deposit} AND p.leg NOT LIKE 'excess:%') OR p.leg IN ('fill', 'fallback'))`
      : sql`p.deposit = ${deposit}`
  }

  /** A fill before its excess, which may both stand in the way of a refund. */
  const standing = Effect.fnUntraced(function*(orderId: OrderId, leg: PaymentPurpose, deposit: Deposit["onchainId"]) {
    const [other] = yield* decodeLegs(
      yield* sql`SELECT p.leg FROM payments p WHERE p.order_id = ${orderId} AND p.leg <> ${leg} AND ${
        excluding(leg, deposit)
      }
          AND p.state IN ('signed', 'sent', 'included') ORDER BY p.leg DESC`
    )
    return other === undefined ? undefined : yield* read(orderId, other.leg)
  })

  /**
   * The payment that stands under another leg of the order and excludes this one. Whoever asks holds the deposit's
   * row until the end of its transaction, so that two that sign for one deposit see each other, on whatever chain
   * each pays; and for an excess the fill's, so that two deposits see each other.
   */
  const readOther = Effect.fnUntraced(
    function*(orderId: OrderId, leg: PaymentPurpose, deposit: Deposit["onchainId"]) {
      yield* sql`UPDATE deposits SET state = state WHERE onchain_id = ${deposit}`
      if (leg.startsWith("excess:")) {
        yield* sql`UPDATE payments SET state = state WHERE order_id = ${orderId} AND leg IN ('fill', 'fallback')`
      }
      return yield* standing(orderId, leg, deposit)
    }
  )

  return { standing, readOther }
}
