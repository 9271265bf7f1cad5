/** Guards a refund until it is final. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Losses } from "../../../../ports/store/ledger/Losses.ts"
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
import { waitUntilOwnFinal } from "../WaitUntilFinal.ts"
import { concludeRefund } from "./ConcludeRefund.ts"
import { dueRefund, refundOf } from "./DueRefund.ts"
import { payRefund } from "./PayRefund.ts"

/**
 * The refunded deposit must become final, too: a reorg can take both back and put only the refund into a block again.
 * Then the refund was for nothing, and operators must see it.
 */
const guardRefunded = Effect.fnUntraced(function*(chain: Chain, { orderId }: RefundedTransfer, deposit: Deposit) {
  const losses = yield* Losses
  const standing = yield* waitUntilOwnFinal(chain, deposit)
  const now = yield* Clock.currentTimeMillis
  yield* losses.recover(deposit.onchainId, standing === "final" ? ["payment", "deposit"] : ["payment"], now)
  if (standing === "final") return
  const { amount, chainId, currency, onchainId, transactionId } = deposit
  yield* losses.book({ kind: "deposit", chainId, orderId, deposit: onchainId, transactionId, currency, amount }, now)
  yield* countStuck("filled-deposit-gone")
  yield* Effect.logError(
    `a deposit on ${chain.slug} that was refunded is no longer on the chain (${transactionId})`
  )
})

/** True when the refund is still there after its guard. Otherwise its loss has been reported. */
const guardOnce = Effect.fnUntraced(function*(chain: Chain, transfer: RefundedTransfer, deposit: Deposit) {
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
  if (kept._tag === "Paid") {
    yield* guardRefunded(chain, transfer, deposit)
  } else {
    yield* countStuck("refund-reverted-by-reorganisation")
    yield* Effect.logError(
      `a refund on ${chain.slug} that was made was reverted by a reorganisation: ${deposit.transactionId}`
    )
  }
  return true
})

/** Guards the refund until it is final, and decides it again when it is gone, also after a crash in between. */
export const guardRefund = Effect.fnUntraced(
  function*(chain: Chain, transfer: RefundedTransfer, claimant: ConfirmedClaimant, reason: FailReason) {
    while (!(yield* guardOnce(chain, transfer, claimant.deposit))) {
      const again = yield* payRefund(chain, transfer, claimant, reason)
      if (again.outcome === "refunded") continue
      // The request has ended and stays so. The money is here, and operators are alerted.
      return yield* concludeRefund(chain, transfer, claimant.deposit, reason, again)
    }
  }
)
