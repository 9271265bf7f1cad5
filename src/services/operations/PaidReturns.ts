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
import type { Hex32 } from "../../domain/encoding/Hex.ts"
import type { OrderId } from "../../domain/order/Order.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"

/** True when the payment of this purpose is executed, or may still be. */
const stands = Effect.fnUntraced(function*(orderId: OrderId, purpose: PaymentPurpose) {
  const [payments, treasury, { all }] = [yield* Payments, yield* Treasury, yield* Chains]
  const payment = yield* payments.find(orderId, purpose)
  if (payment === undefined) return false
  const chain = findChain(all, payment.chainId)
  // Nothing says that a payment on a chain without a configuration is dead.
  if (chain === undefined) return true
  const { _tag } = yield* treasury.outcome(chain, payment.variants, "quorum")
  return _tag !== "Superseded" && _tag !== "Expired"
})

/** Which payments of an order are known, so that another one that is found has another purpose. */
export const paidReturns = Effect.fnUntraced(function*({ orderId }: Pick<Transfer, "orderId">) {
  const history = yield* TransferHistory
  const unrefunded: Array<Deposit> = []
  const excesses = new Set<Hex32>()
  for (const { deposit } of yield* history.allDeposits(orderId)) {
    if (!(yield* stands(orderId, `refund:${deposit.onchainId}`))) unrefunded.push(deposit)
    if (yield* stands(orderId, `excess:${deposit.onchainId}`)) excesses.add(deposit.onchainId)
  }
  const isDelivered = (yield* stands(orderId, "fill")) || (yield* stands(orderId, "fallback"))
  return { isDelivered, unrefunded, excesses }
})
