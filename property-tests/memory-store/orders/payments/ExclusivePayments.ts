/** Which payments exclude each other: a deposit is filled or refunded, an order is delivered once. */
import type { PaidBeside } from "../../../../ports/chain/PaymentKinds.ts"
import type { PaymentPurpose } from "../../../../ports/store/orders/Payments.ts"
import type { Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import type { OrderId } from "../../../../src/domain/order/Order.ts"
import type { PaymentRow } from "../../rows/OrderRows.ts"
import type { Tables } from "../../Tables.ts"

const isDelivery = (leg: string): boolean => leg === "fill" || leg === "fallback"
const isExcess = (leg: string): boolean => leg.startsWith("excess:")

/** An excess stands beside the very payment that it was computed from (REFUND-9). */
const isBeside = (other: PaymentRow, besides: PaidBeside | undefined): boolean =>
  besides === undefined ? isDelivery(other.leg) : other.leg === besides.leg && other.deposited === besides.deposited

const excludes = (leg: PaymentPurpose, deposit: Hex32, besides: PaidBeside | undefined, other: PaymentRow): boolean => {
  const isSame = other.deposit === deposit
  if (isExcess(leg)) return (isSame && !isBeside(other, besides)) || isExcess(other.leg)
  return isDelivery(leg) ? (isSame && !isExcess(other.leg)) || isDelivery(other.leg) : isSame
}

/**
 * The purpose of the order's payment beside which this one may not be signed: its own, or one that excludes it, which
 * comes first.
 */
export const inTheWay = (
  { paymentsOfOrder }: Tables,
  orderId: OrderId,
  leg: PaymentPurpose,
  deposit: Hex32,
  besides: PaidBeside | undefined
): PaymentRow["leg"] | undefined => {
  const legs = paymentsOfOrder(orderId).filter((other) =>
    other.leg === leg ||
    (other.state !== "void" && other.state !== "reverted" && excludes(leg, deposit, besides, other))
  ).map((other) => other.leg).toSorted().toReversed()
  return legs.find((name) => name !== leg) ?? legs[0]
}
