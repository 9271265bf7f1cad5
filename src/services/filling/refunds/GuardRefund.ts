/** Guards a refund until it is final. What it was paid for is looked at after that (`keptRefund`). */
import * as Effect from "effect/Effect"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import { findCurrency } from "../../../domain/chain/Chain.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import type { FailReason } from "../../../domain/transfer/FailReason.ts"
import { planRefund } from "../../../domain/transfer/refund/RefundPlan.ts"
import type { RefundedTransfer } from "../../../domain/transfer/refund/RefundedTransfer.ts"
import { countStuck } from "../../operations/Meters.ts"
import { guardPayment } from "../../payments/guard/GuardPayment.ts"
import type { ConfirmedClaimant } from "../MintedTransaction.ts"
import { concludeRefund } from "./ConcludeRefund.ts"
import { dueRefund, refundOf } from "./DueRefund.ts"
import { payRefund } from "./PayRefund.ts"

/**
 * Guards the refund that is stored. False when it is not there and may be decided again. True otherwise: it is final,
 * or it was reverted for good and that was reported.
 */
export const guardStored = Effect.fnUntraced(function*(chain: Chain, transfer: RefundedTransfer, deposit: Deposit) {
  const payments = yield* Payments
  const currency = findCurrency(chain, deposit.currency)
  const { recipient } = planRefund(transfer, deposit)
  const stored = yield* payments.find(transfer.orderId, refundOf(deposit))
  if (currency === undefined || recipient === undefined) return true
  if (stored === undefined) return false
  // A refund that lost its sequence in a reorg is not signed again as it was: deadline and cap are checked again.
  const kept = yield* guardPayment({
    ...dueRefund(transfer, deposit, { chain, currency, recipient, amount: stored.amount }),
    notAfter: 0
  })
  if (kept._tag === "Unpaid" && kept.why === "expired") return false
  if (kept._tag !== "Paid") {
    yield* countStuck("refund-reverted-by-reorganisation")
    yield* Effect.logError(
      `a refund on ${chain.slug} that was made was reverted by a reorganisation: ${deposit.transactionId} (${deposit.onchainId})`
    )
  }
  return true
})

/** Guards the refund until it is final, and decides it again when it is gone, also after a crash in between. */
export const guardRefund = Effect.fnUntraced(
  function*(chain: Chain, transfer: RefundedTransfer, claimant: ConfirmedClaimant, reason: FailReason) {
    while (!(yield* guardStored(chain, transfer, claimant.deposit))) {
      const again = yield* payRefund(chain, transfer, claimant, reason)
      if (again.outcome === "refunded") continue
      // The request has ended and stays so. The money is here, and operators are alerted.
      return yield* concludeRefund(chain, transfer, claimant.deposit, reason, again)
    }
  }
)
