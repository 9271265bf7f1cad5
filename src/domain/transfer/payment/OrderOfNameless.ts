/**
 * The order of a payment that names none, when the record of it is lost (EXCHANGEA-23): the only one that it fits, or
 * the only one of these whose quoted amount or whole deposit it is. Pure.
 */
import type { OrderId } from "../../order/Order.ts"
import type { Deposit } from "../deposit/Deposit.ts"
import type { Transfer } from "../Transfer.ts"
import { purposeOfPayment } from "./PurposeOfPayment.ts"
import type { PaidOut } from "./PurposeOfPayment.ts"

/** An order that may be unpaid, with its deposits that have no refund yet. */
export interface UnpaidOrder {
  readonly transfer: Transfer
  readonly deposits: ReadonlyArray<Deposit>
}

const isExactly = ({ amount }: PaidOut) => ({ deposits, transfer }: UnpaidOrder): boolean =>
  transfer.terms.amountOut === amount || deposits.some((deposit) => deposit.amount === amount)

/** Undefined when it fits none, or several alike. */
export const orderOfNameless = (paid: PaidOut, unpaid: ReadonlyArray<UnpaidOrder>): OrderId | undefined => {
  const fitting = unpaid.filter(({ deposits, transfer }) =>
    purposeOfPayment(transfer, deposits, paid, "unknown") !== undefined
  )
  const [only, another] = fitting.length === 1 ? fitting : fitting.filter(isExactly(paid))
  return another === undefined ? only?.transfer.orderId : undefined
}
