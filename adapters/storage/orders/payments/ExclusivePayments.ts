/** Which payments exclude each other: a deposit is filled or refunded, an order is delivered once. */
import type { SqlClient, Statement } from "effect/sql"
import type { PaidBeside } from "../../../../ports/chain/PaymentKinds.ts"
import type { PaymentPurpose } from "../../../../ports/store/orders/Payments.ts"
import type { OrderId } from "../../../../src/domain/order/Order.ts"
import type { Deposit } from "../../../../src/domain/transfer/deposit/Deposit.ts"
import { queuedWork } from "./QueuedWork.ts"

/** What an order is paid by on its destination: one of the two, for whichever of its deposits. */
const isDelivery = (leg: PaymentPurpose): boolean => leg === "fill" || leg === "fallback"

export const exclusivePayments = (sql: SqlClient.SqlClient) => {
  const { lockWork } = queuedWork(sql)

  /**
   * Which of the order's payments a leg of the deposit cannot stand beside: of the deposit all but a fill, or what is
   * delivered in its place, and its excess; of the order a fill beside that. An excess stands beside the very payment
   * that it was computed from (REFUND-9).
   */
  const excluding = (leg: PaymentPurpose, deposit: Deposit["onchainId"], besides: PaidBeside | undefined) => {
    if (leg.startsWith("excess:")) {
      const allowed = besides === undefined
        ? sql`p.leg IN ('fill', 'fallback')`
        : sql`(p.leg = ${besides.leg} AND COALESCE(p.deposited, '') = ${besides.deposited?.toString() ?? ""})`
      return sql`((p.deposit = ${deposit} AND NOT ${allowed}) OR p.leg LIKE 'excess:%')`
    }
    return isDelivery(leg)
      ? sql`((p.deposit = ${deposit} AND p.leg NOT LIKE 'excess:%') OR p.leg IN ('fill', 'fallback'))`
      : sql`p.deposit = ${deposit}`
  }

  /** The order's payments, as `p`, beside which the leg may not be signed: its own, and those that exclude it. */
  const inTheWay = (
    orderId: OrderId,
    leg: PaymentPurpose,
    deposit: Deposit["onchainId"],
    besides: PaidBeside | undefined
  ) =>
    sql`p.order_id = ${orderId} AND (p.leg = ${leg} OR (${
      excluding(leg, deposit, besides)
    } AND p.state IN ('signed', 'sent', 'included')))`

  /**
   * Held until the end of the transaction by whoever signs what delivers the order, for whichever of its deposits and
   * with whichever account. On SQLite, where one transaction writes at a time, nothing more is needed.
   */
  const oneOfAnOrder = (orderId: OrderId, leg: PaymentPurpose): ReadonlyArray<Statement.Fragment> =>
    isDelivery(leg)
      ? sql.onDialectOrElse({
        pg: () => [
          sql`(SELECT COUNT(*) FROM pg_advisory_xact_lock(hashtextextended(CAST(${orderId} AS TEXT), 0))) = 1`
        ],
        orElse: () => []
      })
      : []

  /**
   * The rows that whoever signs holds until the end of its transaction: the deposit's, so that two that sign for one
   * deposit see each other, on whatever chain each pays; and for an excess the fill's, so that two deposits see each
   * other; and for work without an order its own. The order's lock is always taken before the deposit's, so that no two
   * wait for each other.
   */
  const contended = (orderId: OrderId, leg: PaymentPurpose, deposit: Deposit["onchainId"]) => [
    sql`UPDATE deposits SET state = state WHERE ${
      sql.and([sql`onchain_id = ${deposit}`, ...oneOfAnOrder(orderId, leg)])
    }`,
    ...(leg.startsWith("excess:")
      ? [sql`UPDATE payments SET state = state WHERE order_id = ${orderId} AND leg IN ('fill', 'fallback')`]
      : []),
    ...lockWork(leg, orderId)
  ]

  return { inTheWay, contended, oneOfAnOrder }
}
