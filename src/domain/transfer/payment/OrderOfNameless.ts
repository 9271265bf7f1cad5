/**
 * The order of a payment that names none, when the record of it is lost (EXCHANGEA-23): the only one that it fits, or
 * the only one of these whose quoted amount or whole deposit it is. Pure.
 */
import type { OrderId } from "../../order/Order.ts"
import type { Transfer } from "../Transfer.ts"
import { purposeOfPayment } from "./PurposeOfPayment.ts"
import type { PaidOut, PaidReturns } from "./PurposeOfPayment.ts"

/** An order that may be unpaid, and which returns of its deposits are known. */
export interface UnpaidOrder extends PaidReturns {
  readonly transfer: Transfer
}

const isExactly = ({ amount }: PaidOut) => ({ transfer, unrefunded }: UnpaidOrder): boolean =>
  transfer.terms.amountOut === amount || unrefunded.some((deposit) => deposit.amount === amount)

/** Undefined when it fits none, or several alike. */
export const orderOfNameless = (paid: PaidOut, unpaid: ReadonlyArray<UnpaidOrder>): OrderId | undefined => {
  const fitting = unpaid.filter(({ transfer, ...returns }) =>
    purposeOfPayment(transfer, returns, paid, "unknown") !== undefined
  )
  const [only, another] = fitting.length === 1 ? fitting : fitting.filter(isExactly(paid))
  return another === undefined ? only?.transfer.orderId : undefined
}
