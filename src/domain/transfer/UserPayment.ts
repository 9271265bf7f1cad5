/** A transaction in which a user carries out a send itself: what it paid, under which order's id (spec/3 §3, `send`). */
import type { Address, CurrencyAddress } from "../chain/Address.ts"
import type { TransactionId } from "../chain/TransactionId.ts"
import type { OrderId } from "../order/Order.ts"
import type { BlockRef } from "./Deposit.ts"
import type { Transfer } from "./Transfer.ts"

export interface UserPayment {
  readonly orderId: OrderId
  readonly transactionId: TransactionId
  readonly block: BlockRef
  /** Smallest units of each currency, by what the chain shows of a transaction that succeeded. */
  readonly payments: ReadonlyArray<{ readonly recipient: Address; readonly currency: CurrencyAddress; readonly amount: bigint }>
}

/** True when the payment is what the transfer's user was asked to make, or more; whoever made it. */
export const carriesOut = ({ orderId, payments }: UserPayment, transfer: Transfer): boolean => {
  const { amountIn, originCurrency, recipient, send } = transfer.terms
  if (send !== true || orderId !== transfer.orderId) return false
  const own = payments.filter((payment) => payment.recipient === recipient && payment.currency === originCurrency)
  return own.reduce((sum, { amount }) => sum + amount, 0n) >= amountIn
}
