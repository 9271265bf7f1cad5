/**
 * Pays the refund of a deposit, unless the deposit is filled, gone, or beyond the cap. The request shows nothing of it
 * before it is paid.
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
import { excessLeg } from "../PaidFor.ts"
import { stands } from "../WaitUntilFinal.ts"
import { allowRefund, atAddress } from "./AllowRefund.ts"
import { noteThoseBack } from "./HandOver.ts"
import { takeOverRefund } from "./MovedRefund.ts"
import { dueRefund } from "./DueRefund.ts"
import { priceRefund } from "./PriceRefund.ts"
import { noteLost, revertedFill } from "./RevertedFill.ts"

/** True when the deposit has the order's fill, or the payment in its place. */
const isFilled = Effect.fnUntraced(function*({ orderId }: RefundedTransfer, { onchainId }: Deposit) {
  const fill = yield* findDelivery(orderId)
  return fill !== undefined && fill.deposit === onchainId && fill.state !== "reverted"
})

/**
 * What a payment for another purpose means for the deposit. Either a concurrent verdict filled it, so nothing is
 * refunded; or its excess was returned beside a fill that a reorg past finality has undone. Then the quoted amount is
 * owed, and an operator must handle it: no refund is paid beside an excess, because the deposit could be returned
 * twice.
 */
const excluded = Effect.fnUntraced(function*(transfer: RefundedTransfer, deposit: Deposit, why: FailReason) {
  if (yield* isFilled(transfer, deposit)) return { outcome: "filled" as const, why }
  const payments = yield* Payments
  const excess = yield* payments.find(transfer.orderId, excessLeg(deposit))
  const { amountIn, depositAddress, refundTo } = transfer.terms
  const owed = depositAddress?.mode === "strict" ? amountIn : deposit.amount - (excess?.amount ?? 0n)
  yield* Effect.logError(
    `${owed} of the deposit ${deposit.onchainId} are owed to ${refundTo}: what it had above what was paid for went back, and then its payment was undone`
  )
  return { outcome: "unrefundable" as const, why: "UNKNOWN" as const }
})

/** `capped`: it waits for an operator, and for room under the cap. `gone`: the deposit is not there to be refunded. */
export type Refunded =
  | { readonly outcome: "filled" | "refunded" | "unrefundable"; readonly why: FailReason }
  | { readonly outcome: "capped" }
  | { readonly outcome: "gone" }

/** Pays the refund once. Undefined when it was not signed while it was allowed, or when it was signed elsewhere. */
const payOnce = Effect.fnUntraced(
  function*(chain: Chain, transfer: RefundedTransfer, claimant: ConfirmedClaimant, reason: FailReason) {
    const { deposit } = claimant
    const payments = yield* Payments
    const currency = findCurrency(chain, deposit.currency)
    if (currency === undefined) return { outcome: "unrefundable", why: "UNKNOWN" } satisfies Refunded
    const { recipient } = planRefund(transfer, deposit)
    // It waits until its owner is known. The request's history shows it.
    if (recipient === undefined) return { outcome: "unrefundable", why: reason } satisfies Refunded
    const { payment, purpose, ...due } = dueRefund(transfer, deposit, {
      chain,
      currency,
      recipient,
      amount: deposit.amount
    })
    // A missing refund proves nothing until the payments since a backup are known.
    const { held, payments: [stored] } = yield* payments.standing(transfer.orderId, [purpose], [chain])
    if (stored === undefined && held !== undefined) return yield* held
    if (stored === undefined) {
      const moved = yield* takeOverRefund(chain, transfer, deposit)
      // It has its refund now, which is looked up again.
      if (moved === "taken") return undefined
      if (moved === "gone") return { outcome: "gone" } satisfies Refunded
    }
    // A signed refund keeps its amount, whatever gas costs meanwhile.
    // Senders choose the depositor. A refund to the depository would name the order and be a deposit again.
    if (stored === undefined && keepsNoPayment(chain, payment.recipient)) {
      return { outcome: "unrefundable", why: "UNKNOWN" } satisfies Refunded
    }
    // An earlier execution may have ended between taking it over and looking at the deposit that had it (REFUND-14).
    if (stored !== undefined) yield* noteThoseBack(chain, transfer)
    const priced = stored !== undefined
      ? { net: stored.amount, least: 0n, rent: 0n, codeUnits: undefined, given: 0n }
      : yield* priceRefund(
        payment,
        atAddress(transfer) ? "swept" : "sent",
        yield* submissionGas(chain, transfer, deposit)
      )
    if (priced === "refused") return { outcome: "unrefundable", why: "UNKNOWN" } satisfies Refunded
    const reverted = stored === undefined ? yield* revertedFill(transfer, deposit, currency, priced) : undefined
    // If a foreign transaction takes its sequence, it is decided again.
    const allowed = stored === undefined
      ? yield* allowRefund(chain, transfer, claimant, recipient, currency, priced, reverted)
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
      // One that has expired is signed again only as what it was priced at. A stored one is priced again.
      rent: priced.rent,
      codeUnits: priced.codeUnits,
      isDue: stands(chain, transfer, deposit)
    })
    if (payout._tag === "Unpaid" && payout.why === "undue") return { outcome: "gone" } satisfies Refunded
    if (payout._tag === "Unpaid" && (payout.why === "expired" || payout.why === "unborne")) return undefined
    if (isClaimed(payout)) return yield* excluded(transfer, deposit, reason)
    if (payout._tag !== "Paid") return { outcome: "unrefundable", why: "UNKNOWN" } satisfies Refunded
    yield* noteValues(deposit, [currency, chain.native])
    yield* showUnattested
    return { outcome: "refunded", why: reason } satisfies Refunded
  }
)

/** Pays the refund and returns its result. The request shows nothing of it before it is paid. */
export const payRefund = Effect.fnUntraced(
  function*(chain: Chain, transfer: RefundedTransfer, claimant: ConfirmedClaimant, reason: FailReason) {
    while (true) {
      const paid = yield* payOnce(chain, transfer, claimant, reason)
      if (paid !== undefined) return paid
    }
  }
)
