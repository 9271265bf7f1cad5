/** Refunds a deposit, less gas as far as the order allows: pay, then guard until it is final (REFUND-1). */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import { refundSettles } from "../../../domain/hub/settling/SettledExcess.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import type { FailReason } from "../../../domain/transfer/FailReason.ts"
import { planRefund } from "../../../domain/transfer/refund/RefundPlan.ts"
import type { RefundedTransfer } from "../../../domain/transfer/refund/RefundedTransfer.ts"
import { retryForever } from "../../polling/RetryForever.ts"
import { step } from "../FillingSteps.ts"
import { releaseSponsor } from "../HoldSponsor.ts"
import type { ConfirmedClaimant } from "../MintedTransaction.ts"
import { concludeRefund } from "./ConcludeRefund.ts"
import { refundOf } from "./DueRefund.ts"
import { guardRefund, guardStored } from "./GuardRefund.ts"
import { keptRefund } from "./KeptRefund.ts"
import { payRefund } from "./PayRefund.ts"
import { returnExcess } from "./ReturnExcess.ts"

/** `cappedAgain`: after how long a refund beyond the cap is retried. Undefined when an operator retries it. */
export const refundDeposit = Effect.fnUntraced(
  function*(
    chain: Chain,
    transfer: RefundedTransfer,
    claimant: ConfirmedClaimant,
    reason: FailReason,
    cappedAgain?: Duration.Duration
  ) {
    const { deposit } = claimant
    const outcome = yield* step(
      "refund.pay",
      Effect.gen(function*() {
        // A refund may have to wait for money. The sponsor's money is released at once.
        yield* releaseSponsor(transfer, claimant)
        let isTold = false
        while (true) {
          const paid = yield* payRefund(chain, transfer, claimant, reason)
          if (paid.outcome !== "capped" || !isTold) {
            yield* concludeRefund(chain, transfer, deposit, reason, paid, cappedAgain)
          }
          if (paid.outcome !== "capped") {
            return paid.outcome
          }
          if (cappedAgain === undefined) {
            return "unrefundable"
          }
          isTold = true
          yield* Effect.sleep(cappedAgain)
        }
      }).pipe(retryForever("refund.pay"))
    )
    if (outcome !== "refunded") return outcome
    yield* step("refund.guard", guardRefund(chain, transfer, claimant, reason).pipe(retryForever("refund.guard")))
    const kept = yield* step("refund.kept", keptRefund(chain, transfer, deposit).pipe(retryForever("refund.kept")))
    if (kept !== "refunded") return kept
    const { recipient } = planRefund(transfer, deposit)
    yield* returnExcess(
      chain,
      transfer,
      claimant,
      (paid, of) => recipient !== undefined && refundSettles(transfer, paid, of, { chain, recipient })
    )
    return kept
  }
)

/**
 * Follows the refund that an earlier execution has signed for a deposit that is gone, as that one would have, and books
 * the loss. Nothing is signed for it here.
 */
export const followRefund = Effect.fnUntraced(function*(chain: Chain, transfer: RefundedTransfer, deposit: Deposit) {
  const payments = yield* Payments
  const signed = yield* payments.find(transfer.orderId, refundOf(deposit)).pipe(retryForever("load"))
  if (signed === undefined) return
  yield* step("refund.guard", Effect.asVoid(guardStored(chain, transfer, deposit)).pipe(retryForever("refund.guard")))
  yield* step("refund.kept", keptRefund(chain, transfer, deposit).pipe(retryForever("refund.kept")))
})
