/**
 * Pays the refund of a deposit, unless the deposit is filled, gone, or beyond the cap; nothing is shown of it before it
 * is paid.
 */
import * as Effect from "effect/Effect"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import { findCurrency, keepsNoPayment } from "../../../domain/chain/Chain.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import type { FailReason } from "../../../domain/transfer/FailReason.ts"
import { planRefund } from "../../../domain/transfer/refund/RefundPlan.ts"
import type { RefundedTransfer } from "../../../domain/transfer/refund/RefundedTransfer.ts"
import { pay } from "../../payments/pay/PayUntil.ts"
import { isClaimed } from "../../payments/Payout.ts"
import { submissionGas } from "../../permits/SubmissionGas.ts"
import { showUnattested } from "../../operations/UnattestedLosses.ts"
import { findDelivery } from "../Delivery.ts"
import type { ConfirmedClaimant } from "../MintedTransaction.ts"
import { noteValues } from "../NoteValues.ts"
import { stands } from "../WaitUntilFinal.ts"
import { allowRefund, atAddress } from "./AllowRefund.ts"
import { dueRefund } from "./DueRefund.ts"
import { priceRefund } from "./PriceRefund.ts"
import { noteLost, revertedFill } from "./RevertedFill.ts"

/** The deposit has the order's fill, or what was delivered in its place. */
const isFilled = Effect.fnUntraced(function*({ orderId }: RefundedTransfer, { onchainId }: Deposit) {
  const fill = yield* findDelivery(orderId)
  return fill !== undefined && fill.deposit === onchainId && fill.state !== "reverted"
})

/**
 * What a payment under another leg means for the deposit: it was filled by whoever judged it at the same time, and
 * nothing goes back; or its excess went back beside a fill that a reorganisation past finality has undone. Then the
 * quoted amount is owed, and a person has to see to it: no refund stands beside an excess, by which a deposit could go
 * back twice.
 */
const excluded = Effect.fnUntraced(function*(transfer: RefundedTransfer, deposit: Deposit, why: FailReason) {
  if (yield* isFilled(transfer, deposit)) return { outcome: "filled" as const, why }
  const { amountIn, refundTo } = transfer.terms
  yield* Effect.logError(
    `${amountIn} of the deposit ${deposit.onchainId} are owed to ${refundTo}: what it had above the quoted amount went back, and then its fill was undone`
  )
  return { outcome: "unrefundable" as const, why: "UNKNOWN" as const }
})

/** `capped`: it waits for an operator, and for room under the cap. `gone`: it is not there to go back. */
export type Refunded =
  | { readonly outcome: "filled" | "refunded" | "unrefundable"; readonly why: FailReason }
  | { readonly outcome: "capped" }
  | { readonly outcome: "gone" }

/** Pays the refund leg, unless it was not signed while that was right: undefined. */
const payOnce = Effect.fnUntraced(
  function*(chain: Chain, transfer: RefundedTransfer, claimant: ConfirmedClaimant, reason: FailReason) {
    const { deposit } = claimant
    const payments = yield* Payments
    const currency = findCurrency(chain, deposit.currency)
    if (currency === undefined) return { outcome: "unrefundable", why: "UNKNOWN" } satisfies Refunded
    const { recipient } = planRefund(transfer, deposit)
    // It waits until somebody says whose it is; the history shows it.
    if (recipient === undefined) return { outcome: "unrefundable", why: reason } satisfies Refunded
    const { payment, purpose, ...due } = dueRefund(transfer, deposit, {
      chain,
      currency,
      recipient,
      amount: deposit.amount
    })
    // Nothing is concluded from there being no refund before it is known what was paid since a backup.
    if ((yield* payments.find(transfer.orderId, purpose)) === undefined) yield* payments.refuseHeld(chain)
    // A refund that was signed keeps its amount, whatever gas costs meanwhile.
    const stored = yield* payments.find(transfer.orderId, purpose)
    // Depositors are what their senders say: what the depository were given back would name the order and be a deposit
    // again.
    if (stored === undefined && keepsNoPayment(chain, payment.recipient)) {
      return { outcome: "unrefundable", why: "UNKNOWN" } satisfies Refunded
    }
    const priced = stored !== undefined
      ? { net: stored.amount, least: 0n }
      : yield* priceRefund(
        payment,
        atAddress(transfer) ? "swept" : "sent",
        yield* submissionGas(chain, transfer, deposit)
      )
    if (priced === "refused") return { outcome: "unrefundable", why: "UNKNOWN" } satisfies Refunded
    const reverted = stored === undefined ? yield* revertedFill(transfer, deposit, currency, priced) : undefined
    // Should it lose its sequence to a transaction that is not ours, it is decided again.
    const allowed = stored === undefined
      ? yield* allowRefund(chain, transfer, claimant, recipient, currency, priced.net, reverted)
      : { amount: stored.amount, notAfter: 0 }
    if (allowed === undefined) return { outcome: "capped" } satisfies Refunded
    const { amount, notAfter } = allowed
    if (amount === 0n) return { outcome: "unrefundable", why: "AMOUNT_TOO_LOW_TO_REFUND" } satisfies Refunded
    yield* noteLost(transfer, deposit, reverted, amount)
    const payout = yield* pay({
      ...due,
      purpose,
      payment: { ...payment, amount },
      notAfter,
      isDue: stands(chain, transfer, deposit)
    })
    if (payout._tag === "Unpaid" && payout.why === "undue") return { outcome: "gone" } satisfies Refunded
    if (payout._tag === "Unpaid" && payout.why === "expired") return undefined
    if (isClaimed(payout)) return yield* excluded(transfer, deposit, reason)
    if (payout._tag !== "Paid") return { outcome: "unrefundable", why: "UNKNOWN" } satisfies Refunded
    yield* noteValues(deposit, [currency, chain.native])
    yield* showUnattested
    return { outcome: "refunded", why: reason } satisfies Refunded
  }
)

/** Pays the refund leg and says what came of it; nothing is shown of it before it is paid. */
export const payRefund = Effect.fnUntraced(
  function*(chain: Chain, transfer: RefundedTransfer, claimant: ConfirmedClaimant, reason: FailReason) {
    while (true) {
      const paid = yield* payOnce(chain, transfer, claimant, reason)
      if (paid !== undefined) return paid
    }
  }
)
