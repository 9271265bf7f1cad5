/** Refunds a deposit, less gas as far as the order allows: pay, then guard until it is final (REFUND-1). */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import type { FailReason } from "../../../domain/transfer/FailReason.ts"
import type { RefundedTransfer } from "../../../domain/transfer/refund/RefundedTransfer.ts"
import { retryForever } from "../../polling/RetryForever.ts"
import { step } from "../FillingSteps.ts"
import { releaseSponsor } from "../HoldSponsor.ts"
import type { ConfirmedClaimant } from "../MintedTransaction.ts"
import { concludeRefund } from "./ConcludeRefund.ts"
import { refundOf } from "./DueRefund.ts"
import { guardRefund } from "./GuardRefund.ts"
import { payRefund } from "./PayRefund.ts"

/** The result after the guard. An operator may retry a refund that is gone and was not allowed again. */
const keptOutcome = Effect.fnUntraced(function*({ orderId }: RefundedTransfer, deposit: Deposit) {
  const payments = yield* Payments
  return (yield* payments.find(orderId, refundOf(deposit))) === undefined
    ? "unrefundable" as const
    : "refunded" as const
})

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
    return yield* step("refund.kept", keptOutcome(transfer, deposit).pipe(retryForever("refund.kept")))
  }
)
