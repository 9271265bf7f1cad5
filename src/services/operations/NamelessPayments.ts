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
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { OrderId } from "../../domain/order/Order.ts"
import { orderOfNameless } from "../../domain/transfer/payment/OrderOfNameless.ts"
import type { UnpaidOrder } from "../../domain/transfer/payment/OrderOfNameless.ts"
import { paidReturns } from "./PaidReturns.ts"

/** Of an order's open deposits, so many show what it is. */
const OF_ONE_ORDER = 1

/** The orders of open deposits that no payment is known of: read once, because nothing is written meanwhile. */
const unpaidOrders = Effect.gen(function*() {
  const deposits = yield* Deposits
  const transfers = yield* Transfers
  const payments = yield* Payments
  const found = new Map<OrderId, UnpaidOrder>()
  for (const { onchainId } of yield* deposits.open(OF_ONE_ORDER)) {
    const transfer = (yield* transfers.findByDeposit(onchainId))?.transfer
    if (transfer === undefined || found.has(transfer.orderId)) continue
    if ((yield* payments.find(transfer.orderId, "fill")) !== undefined) continue
    found.set(transfer.orderId, { transfer, ...yield* paidReturns(transfer) })
  }
  return [...found.values()]
})

type Nameless = SentTransaction & { readonly nameless: NamelessPayment }

const isNameless = (sent: SentTransaction): sent is Nameless => sent.nameless !== undefined

/** With those of the transactions that are certain now. What one of them has paid, no other one has. */
const nameCertain = Effect.fnUntraced(
  function*(
    chain: Chain,
    open: ReadonlyArray<UnpaidOrder>,
    known: ReadonlyArray<SentTransaction>,
    nameless: ReadonlyArray<Nameless>
  ) {
    const named = [...known]
    const left: Array<Nameless> = []
    for (const each of nameless) {
      const { amount, currency, nameIt, recipient } = each.nameless
      const orders = new Set(named.flatMap(({ payment }) => payment === undefined ? [] : [payment.orderId]))
      const unpaid = open.filter(({ transfer }) => !orders.has(transfer.orderId))
      const order = orderOfNameless({ chainId: chain.id, recipient, currency, amount }, unpaid)
      if (order === undefined) left.push(each)
      else named.push(yield* nameIt(order))
    }
    return { named, left }
  }
)

/**
 * The same transactions, each with its order. Undefined when the order of one of them is not certain, which is logged:
 * an operator looks it up.
 */
export const nameOrders = Effect.fnUntraced(function*(chain: Chain, all: ReadonlyArray<SentTransaction>) {
  let named: ReadonlyArray<SentTransaction> = all.filter((sent) => !isNameless(sent))
  let left: ReadonlyArray<Nameless> = all.filter(isNameless)
  if (left.length === 0) return named
  const open = yield* unpaidOrders
  while (left.length > 0) {
    const now = yield* nameCertain(chain, open, named, left)
    if (now.left.length === left.length) {
      yield* Effect.forEach(now.left, ({ nameless: { amount, currency, recipient }, transactionId }) =>
        Effect.logError(
          `${transactionId} on ${chain.slug} paid ${amount} of ${currency} to ${recipient}, and it is not certain for which order`
        ), { discard: true })
      return undefined
    }
    named = now.named
    left = now.left
  }
  return named
})
