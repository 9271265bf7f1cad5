/**
 * After a restore: payments of an account whose chain names no order, and whose record of it is lost with the backup's
 * later rows (EXCHANGEA-23). Each is for an open deposit, so the deposits tell which order it has paid.
 *
 * SECURITY: a payment that is left out would be made again. So one whose order is not certain holds all of them.
 */
import * as Effect from "effect/Effect"
import type { NamelessPayment, SentTransaction } from "../../../ports/chain/SentTransactions.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { OrderId } from "../../domain/order/Order.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import { orderOfNameless } from "../../domain/transfer/payment/OrderOfNameless.ts"
import type { UnpaidOrder } from "../../domain/transfer/payment/OrderOfNameless.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"

/** Of an order's open deposits, so many show what it is. */
const OF_ONE_ORDER = 1

/** Deposits that name the order and have no refund yet, oldest first. */
export const unrefunded = Effect.fnUntraced(function*({ orderId }: Transfer) {
  const history = yield* TransferHistory
  const payments = yield* Payments
  const named = yield* history.allDeposits(orderId)
  const open: Array<Deposit> = []
  for (const { deposit } of named) {
    if ((yield* payments.find(orderId, `refund:${deposit.onchainId}`)) === undefined) open.push(deposit)
  }
  return open
})

/** The orders of open deposits that no payment is known of, without those that are `named` already. */
const unpaidOrders = Effect.fnUntraced(function*(named: ReadonlySet<OrderId>) {
  const deposits = yield* Deposits
  const transfers = yield* Transfers
  const payments = yield* Payments
  const found = new Map<OrderId, UnpaidOrder>()
  for (const { onchainId } of yield* deposits.open(OF_ONE_ORDER)) {
    const transfer = (yield* transfers.findByDeposit(onchainId))?.transfer
    if (transfer === undefined || named.has(transfer.orderId) || found.has(transfer.orderId)) continue
    if ((yield* payments.find(transfer.orderId, "fill")) !== undefined) continue
    found.set(transfer.orderId, { transfer, deposits: yield* unrefunded(transfer) })
  }
  return [...found.values()]
})

const isNameless = (sent: SentTransaction): sent is SentTransaction & { readonly nameless: NamelessPayment } =>
  sent.nameless !== undefined

/**
 * The same transactions, each with its order. Undefined when the order of one of them is not certain, which is logged:
 * an operator looks it up.
 */
export const nameOrders = Effect.fnUntraced(function*(chain: Chain, all: ReadonlyArray<SentTransaction>) {
  const named: Array<SentTransaction> = all.filter((sent) => !isNameless(sent))
  const nameless = all.filter(isNameless)
  if (nameless.length === 0) return named
  for (const { nameless: { amount, currency, nameIt, recipient }, transactionId } of nameless) {
    const known = new Set(named.flatMap(({ payment }) => payment === undefined ? [] : [payment.orderId]))
    const unpaid = yield* unpaidOrders(known)
    const order = orderOfNameless({ chainId: chain.id, recipient, currency, amount }, unpaid)
    if (order === undefined) {
      yield* Effect.logError(
        `${transactionId} on ${chain.slug} paid ${amount} of ${currency} to ${recipient}, and it is not certain for which order`
      )
      return undefined
    }
    named.push(yield* nameIt(order))
  }
  return named
})
