/**
 * After a restore: which payments of an order are known. A payment that was found since the backup is one of
 * the others.
 *
 * SECURITY: a stored payment that can never be executed is not counted. The lost process may have paid again in its
 * place, and that payment must find its purpose, or it is made once more.
 */
import * as Effect from "effect/Effect"
import { Chains } from "../../../ports/chain/Chains.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import type { PaymentPurpose } from "../../../ports/store/orders/Payments.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { findChain } from "../../domain/chain/Chain.ts"
import type { OrderId } from "../../domain/order/Order.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { hasFailed } from "../../domain/transfer/payment/PaymentOutcome.ts"
import type { PaymentOutcome } from "../../domain/transfer/payment/PaymentOutcome.ts"
import type { PaidReturns } from "../../domain/transfer/payment/PurposeOfPayment.ts"

/**
 * True when the lost process may have paid in its place: it can never be executed. A refund also when it failed in its
 * block and an operator has retried it (REFUND-10). Of a fill that failed the deposit was refunded.
 */
export const isPaidAgain = (purpose: PaymentPurpose, outcome: PaymentOutcome): boolean =>
  outcome._tag === "Superseded" || outcome._tag === "Expired" || (purpose.startsWith("refund:") && hasFailed(outcome))

/** True when the payment of this purpose is executed, or may still be. */
const stands = Effect.fnUntraced(function*(orderId: OrderId, purpose: PaymentPurpose) {
  const [payments, treasury, { all }] = [yield* Payments, yield* Treasury, yield* Chains]
  const payment = yield* payments.find(orderId, purpose)
  if (payment === undefined) return false
  const chain = findChain(all, payment.chainId)
  // Nothing says that a payment on a chain without a configuration is dead.
  if (chain === undefined) return true
  return !isPaidAgain(purpose, yield* treasury.outcome(chain, payment.variants, "quorum"))
})

/**
 * What is known of one order: its deposits, and its payments that stand. Asks about each stored payment once, and about
 * no deposit: anybody can make thousands of deposits for an order, and payments are held until this is known.
 */
const loadKnown = Effect.fnUntraced(function*(orderId: OrderId) {
  const history = yield* TransferHistory
  const deposits = (yield* history.allDeposits(orderId)).map(({ deposit }) => deposit)
  const stored = yield* history.allPayments(orderId)
  const standing = yield* Effect.filter(stored, ({ leg }) => stands(orderId, leg))
  return { deposits, standing, legs: new Set<PaymentPurpose>(standing.map(({ leg }) => leg)) }
})

const returnsOf = ({ deposits, legs, standing }: Effect.Success<ReturnType<typeof loadKnown>>): PaidReturns => ({
  isDelivered: legs.has("fill") || legs.has("fallback"),
  unrefunded: deposits.filter(({ onchainId }) => !legs.has(`refund:${onchainId}`)),
  excesses: new Set(deposits.map(({ onchainId }) => onchainId).filter((onchainId) => legs.has(`excess:${onchainId}`))),
  answered: deposits.filter(({ onchainId }) => !legs.has(`excess:${onchainId}`)).map((deposit) => ({
    deposit,
    payments: standing.filter(({ onchainId }) => onchainId === deposit.onchainId)
  })).filter(({ payments }) => payments.length > 0)
})

/** Which payments of an order are known, so that another one that is found has another purpose. */
export const paidReturns = ({ orderId }: Pick<Transfer, "orderId">) => Effect.map(loadKnown(orderId), returnsOf)

/**
 * The same for one restoration, in which payments become known one after the other. Each order is read once, when it is
 * first asked for. `note`: a payment of this purpose was found in a final block, and stands.
 */
export const makeKnownReturns = () => {
  const orders = new Map<OrderId, Effect.Success<ReturnType<typeof loadKnown>>>()
  return {
    of: Effect.fnUntraced(function*({ orderId }: Pick<Transfer, "orderId">) {
      const known = orders.get(orderId) ?? (yield* loadKnown(orderId))
      orders.set(orderId, known)
      return returnsOf(known)
    }),
    note: (orderId: OrderId, purpose: PaymentPurpose): void => void orders.get(orderId)?.legs.add(purpose)
  }
}

/** Read once in a restoration. */
export type KnownReturns = ReturnType<typeof makeKnownReturns>
