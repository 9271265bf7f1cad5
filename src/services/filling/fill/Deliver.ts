/** Delivers an order by one of its payments and returns the result for the deposit: pay, then guard until final. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Losses } from "../../../../ports/store/ledger/Losses.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import { Transfers } from "../../../../ports/store/orders/Transfers.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import { excessOf } from "../../../domain/transfer/refund/Excess.ts"
import { fallsBack, whyReverted } from "../../../domain/transfer/Transfer.ts"
import type { Transfer } from "../../../domain/transfer/Transfer.ts"
import type { Route } from "../../quoting/market/MarketFacts.ts"
import { countStuck } from "../../operations/Meters.ts"
import { guardPayment } from "../../payments/guard/GuardPayment.ts"
import { pay } from "../../payments/pay/PayUntil.ts"
import { isClaimed } from "../../payments/Payout.ts"
import type { Payout } from "../../payments/Payout.ts"
import { retryForever } from "../../polling/RetryForever.ts"
import { bookAppFees } from "../BookAppFees.ts"
import { findDelivery } from "../Delivery.ts"
import { step } from "../FillingSteps.ts"
import { contended, filled, moved, refund } from "../FillResult.ts"
import type { FillResult } from "../FillResult.ts"
import { settleSponsor } from "../HoldSponsor.ts"
import { bookGone, recoverWhatCameBack } from "../losses/MissingDeposit.ts"
import { noteValues } from "../NoteValues.ts"
import { filledPart, paymentsFor } from "../PaidFor.ts"
import { clearReservation, reserve, reservedAtOnce } from "../ReserveInventory.ts"
import { waitUntilFinal } from "../WaitUntilFinal.ts"
import { isServing, waitUntilServing } from "../WaitUntilServing.ts"
import type { DueDelivery } from "./DueDelivery.ts"

/**
 * Names the activities: a workflow that fills twice must not get the stored result of the first fill. `found`: by what
 * another execution has signed (`followDelivery`).
 */
export type Attempt = "fill" | "fill.again" | "fallback" | "fallback.again" | "found"

const resultOf = (payout: Payout, { terms }: Transfer, { purpose, rent }: DueDelivery): FillResult => {
  if (payout._tag === "Paid") return filled
  if (isClaimed(payout)) return contended
  // The deposit of a fallback is refunded because of the swap, whatever kept the recipient from getting the unswapped
  // currency.
  if (
    purpose === "fallback" || payout._tag === "Reverted" || payout.why === "reverts" ||
    payout.why === "unroutable" || (payout.why === "unborne" && fallsBack(terms))
  ) {
    return refund(whyReverted(terms))
  }
  if (payout.why === "greedy" || (payout.why === "unborne" && rent !== undefined)) return refund("SLIPPAGE")
  return refund(payout.why === "expired" ? "ORDER_EXPIRED" : "SOLVER_CAPACITY_EXCEEDED")
}

/** True when the deposit has already fallen back, before a reorg had it judged again. */
const hasFallenBack = Effect.fnUntraced(function*({ orderId }: Transfer, { onchainId }: Deposit) {
  const paid = yield* findDelivery(orderId)
  return paid?.leg === "fallback" && paid.deposit === onchainId
})

/** True when the deposit may be gone, so that nothing may be paid for it. */
const isDoubtful = (payout: Payout): boolean =>
  payout._tag === "Reverted" || (payout._tag === "Unpaid" && payout.why === "undue")

/** The payment that a delivery's first step has recorded, for its second one in the same process. */
interface Recorded {
  payment: StoredPayment | undefined
}

/**
 * SECURITY: `Moved` when a reorg moved the deposit and nothing is delivered for it here. Nothing else is signed for it
 * here: its new place has its own filling, which takes over what was signed and refunds the deposit if needed.
 */
const payDelivery = Effect.fnUntraced(function*(
  route: Route,
  due: DueDelivery,
  transfer: Transfer,
  deposit: Deposit,
  recorded: Recorded
) {
  const payments = yield* Payments
  const transfers = yield* Transfers
  const reserves = reservedAtOnce(route, transfer, deposit, due.payment.amount) ?? []
  // Whoever made the deposit: an order that is being filled changes the request.
  yield* transfers.move(transfer.id, { to: "pending", at: yield* Clock.currentTimeMillis, reserves })
  // A signed payment continues, also on a chain that is out of service.
  if (!(yield* isServing(route)) && (yield* payments.find(transfer.orderId, due.purpose)) === undefined) {
    yield* waitUntilServing(route, transfer, due.notAfter)
  }
  if (reserves.length === 0) yield* reserve(route, transfer, deposit, due.payment.amount)
  const payout = yield* pay(due)
  if (due.risk !== undefined && !isClaimed(payout)) yield* due.risk.settle(payout)
  const paid = resultOf(payout, transfer, due)
  const fellBack = due.purpose === "fill" && paid._tag === "Contended" && (yield* hasFallenBack(transfer, deposit))
  if (paid._tag !== "Filled") yield* clearReservation(transfer)
  // A reverted payment moves with its deposit, so the next one is signed only where the deposit is final.
  if (isDoubtful(payout) && (yield* waitUntilFinal(route.origin, transfer, deposit)) !== "final") return moved
  if (paid._tag !== "Filled") return fellBack ? refund(whyReverted(transfer.terms)) : paid
  yield* transfers.move(transfer.id, {
    to: "success",
    at: yield* Clock.currentTimeMillis,
    releases: transfer.orderId
  })
  yield* noteValues(deposit, [route.originCurrency, route.destinationCurrency, route.destination.native])
  if (payout._tag === "Paid") recorded.payment = payout.payment
  return filled
})

/**
 * The filled deposit must become final, too. If it vanishes after its fill, wholly or in part, that is a loss that
 * operators must see.
 *
 * SECURITY: another deposit may have taken the payment over since it was last read. Then that one is filled, and
 * nothing may be booked for this one, which is a second deposit now (QUORUM-11).
 *
 * Its payments, once it is final with one that delivers.
 */
const guardDeposit = Effect.fnUntraced(
  function*({ origin }: Route, transfer: Transfer, deposit: Deposit, { _tag: kept }: Payout) {
    const losses = yield* Losses
    const standing = yield* waitUntilFinal(origin, transfer, deposit)
    if (kept !== "Paid" || standing === "moved") return standing
    const own = standing === "final" ? yield* paymentsFor(transfer, deposit) : []
    if (own.some(({ leg }) => leg === "fill" || leg === "fallback")) {
      yield* recoverWhatCameBack(origin, transfer, deposit, own)
      return own
    }
    yield* losses.recover(deposit.onchainId, ["payment"], yield* Clock.currentTimeMillis)
    if (standing === "final") return "moved"
    yield* bookGone(transfer, deposit)
    // Whoever takes it over from now on recovers the loss.
    if ((yield* findDelivery(transfer.orderId))?.deposit !== deposit.onchainId) return "moved"
    yield* countStuck("filled-deposit-gone")
    yield* Effect.logError(
      `a deposit on ${origin.slug} that was filled is no longer on the chain (${deposit.transactionId})`
    )
    return standing
  }
)

const guardDelivery = Effect.fnUntraced(
  function*(route: Route, due: DueDelivery, transfer: Transfer, deposit: Deposit, recorded: Recorded) {
    // Known once: whatever fails here reads it again.
    const { payment: known } = recorded
    recorded.payment = undefined
    // The request has ended: a payment that is guarded shows nothing.
    const kept = yield* guardPayment({ ...due, shown: undefined }, known)
    // The payment now belongs to another deposit of the order, or to the place to which this one has moved. That
    // filling guards it. Should this deposit be in a block again, it is a second one, and is refunded.
    if (isClaimed(kept)) return moved
    const result = resultOf(kept, transfer, due)
    // One that lost its sequence was signed again, and its risk reserved again.
    if (due.risk !== undefined && (kept._tag === "Reverted" || due.risk.isOpen())) yield* due.risk.settle(kept)
    if (result._tag !== "Filled") {
      yield* countStuck("fill-reverted-by-reorganisation")
      yield* Effect.logError(
        `a fill on ${route.destination.slug} that was shown as success was reverted by a reorganisation: if its deposit stands it ${
          due.purpose === "fill" && fallsBack(transfer.terms)
            ? "falls back to what would have been swapped"
            : "is refunded"
        }`
      )
    }
    const standing = yield* guardDeposit(route, transfer, deposit, kept)
    if (kept._tag !== "Paid") return standing === "final" ? result : moved
    if (standing === "moved") return moved
    // The fees were spent even when the deposit is gone. App fees are shares of a received deposit.
    yield* settleSponsor(transfer, kept)
    // Should it come back, it is judged again: it has the payment still, or it is a second deposit.
    if (standing === "gone") return moved
    const filledBy = typeof standing === "string" ? undefined : filledPart(transfer, deposit, standing)
    yield* bookAppFees(transfer, { ...deposit, amount: filledBy ?? deposit.amount - excessOf(transfer, deposit) })
    return filled
  }
)

export const deliver = Effect.fnUntraced(
  function*(attempt: Attempt, route: Route, due: DueDelivery, transfer: Transfer, deposit: Deposit) {
    const recorded: Recorded = { payment: undefined }
    const paid = yield* step(
      `${attempt}.pay`,
      payDelivery(route, due, transfer, deposit, recorded).pipe(retryForever("fill.pay"))
    )
    return paid._tag === "Filled"
      ? yield* step(
        `${attempt}.guard`,
        guardDelivery(route, due, transfer, deposit, recorded).pipe(retryForever("fill.guard"))
      )
      : paid
  }
)
