/**
 * A refund that failed in its block: it moved nothing, and its deposit is `unrefundable`. When an operator retries its
 * request, it is set aside, and the deposit is refunded by another payment (REFUND-10).
 *
 * SECURITY: only once a quorum shows that it is final and failed, so that it can never be executed beside the other one.
 * A recipient that refuses again costs the gas of one more payment, for each retry by an operator.
 */
import * as Effect from "effect/Effect"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { Treasury } from "../../../../ports/chain/Treasury.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import { findChain } from "../../../domain/chain/Chain.ts"
import type { OrderId } from "../../../domain/order/Order.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import { hasFailed } from "../../../domain/transfer/payment/PaymentOutcome.ts"
import { isHalted } from "../../deposits/halt/Halting.ts"

/** False when the chain does not say now whether the refund has failed: the deposit waits for another retry. */
export const setFailedAside = Effect.fnUntraced(function*(orderId: OrderId, onchainId: Deposit["onchainId"]) {
  const [chains, payments, treasury] = [yield* Chains, yield* Payments, yield* Treasury]
  const refund = yield* payments.find(orderId, `refund:${onchainId}`)
  if (refund?.state !== "reverted") return true
  const chain = findChain(chains.all, refund.chainId)
  if (chain === undefined) return true
  const outcome = yield* treasury.outcome(chain, refund.variants, "quorum").pipe(
    Effect.catchTag("ChainUnavailable", () => Effect.succeed(undefined))
  )
  // What a halted chain shows counts for nothing. Asked after the chain was.
  if (outcome === undefined || !hasFailed(outcome) || (yield* isHalted([chain.id]))) {
    yield* Effect.logWarning(
      `the refund ${refund.transactionId} on ${chain.slug} is not made again: ${
        outcome === undefined ? "the chain cannot be read" : "the chain does not show it as final and failed"
      }`
    )
    return false
  }
  yield* payments.setAside(refund)
  yield* Effect.logWarning(
    `the refund ${refund.transactionId} on ${chain.slug} failed in its block, and an operator has its deposit refunded again: ${onchainId}`
  )
  return true
})
