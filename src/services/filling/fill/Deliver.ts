/**
 * Delivers an order by one of its payments, and says what that means for the deposit: pay, then guard until it is
 * final.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Losses } from "../../../../ports/store/ledger/Losses.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import { excessOf } from "../../../domain/transfer/refund/Excess.ts"
import { fallsBack, whyReverted } from "../../../domain/transfer/Transfer.ts"
import type { Transfer } from "../../../domain/transfer/Transfer.ts"
import type { Route } from "../../quoting/market/MarketFacts.ts"
import { countStuck } from "../../operations/Meters.ts"
import { showStatus } from "../../payments/DuePayment.ts"
import { guardPayment } from "../../payments/guard/GuardPayment.ts"
import { pay } from "../../payments/pay/PayUntil.ts"
import { isClaimed } from "../../payments/Payout.ts"
import type { Payout } from "../../payments/Payout.ts"
import { retryForever } from "../../polling/RetryForever.ts"
import { settleCalls } from "../RevertedCallLoss.ts"
import { bookAppFees } from "../BookAppFees.ts"
import { findDelivery } from "../Delivery.ts"
import { step } from "../FillingSteps.ts"
import { contended, filled, moved, refund } from "../FillResult.ts"
import type { FillResult } from "../FillResult.ts"
import { settleSponsor } from "../HoldSponsor.ts"
import { noteValues } from "../NoteValues.ts"
import { keepReservation, reserve } from "../ReserveInventory.ts"
import { waitUntilFinal } from "../WaitUntilFinal.ts"
import { waitUntilServing } from "../WaitUntilServing.ts"
import type { DueDelivery } from "./DueDelivery.ts"

/** Names the activities: a workflow that fills twice must not be given the first one's result. */
export type Attempt = "fill" | "fill.again" | "fallback" | "fallback.again"

const resultOf = (payout: Payout, { terms }: Transfer, { purpose }: DueDelivery): FillResult => {
  if (payout._tag === "Paid") return filled
  if (isClaimed(payout)) return contended
  // A fallback's deposit goes back because of the swap, whatever kept the recipient from getting what it would have
  // taken.
  if (purpose === "fallback" || payout._tag === "Reverted" || payout.why === "reverts") {
    return refund(whyReverted(terms))
  }
  return refund(payout.why === "expired" ? "ORDER_EXPIRED" : "SOLVER_CAPACITY_EXCEEDED")
}

/** The deposit has fallen back already, before it was looked at again after a reorg. */
const hasFallenBack = Effect.fnUntraced(function*({ orderId }: Transfer, { onchainId }: Deposit) {
  const paid = yield* findDelivery(orderId)
  return paid?.leg === "fallback" && paid.deposit === onchainId
})

/** There may be no deposit any more that anything could be paid for. */
const isDoubtful = (payout: Payout): boolean =>
  payout._tag === "Reverted" || (payout._tag === "Unpaid" && payout.why === "undue")

/**
 * SECURITY: `Moved` when the deposit is no longer where it was and nothing is delivered for it here. Nothing else is
 * then signed for it: where it has moved to has a filling of its own, which has what was signed and gives the deposit
 * back as its own.
 */
const payDelivery = Effect.fnUntraced(function*(route: Route, due: DueDelivery, transfer: Transfer, deposit: Deposit) {
  const payments = yield* Payments
  // Whoever sent the deposit: an order that is being filled is the request's own way.
  yield* showStatus(due, "pending")
  // What is signed already goes on, as on a chain that an operator has paused.
  if ((yield* payments.find(transfer.orderId, due.purpose)) === undefined) {
    yield* waitUntilServing(route, transfer, due.notAfter)
  }
  yield* reserve(route, transfer, deposit, due.payment.amount)
  const payout = yield* pay(due)
  if (due.purpose === "fill" && !isClaimed(payout)) yield* settleCalls(route, transfer, deposit, payout)
  const paid = resultOf(payout, transfer, due)
  const fellBack = due.purpose === "fill" && paid._tag === "Contended" && (yield* hasFallenBack(transfer, deposit))
  yield* keepReservation(transfer)
  // What reverted is handed over with a deposit that moves: whatever is signed next is signed for where the deposit
  // stands for good.
  if (isDoubtful(payout) && (yield* waitUntilFinal(route.origin, transfer, deposit)) !== "final") return moved
  if (paid._tag !== "Filled") return fellBack ? refund(whyReverted(transfer.terms)) : paid
  yield* showStatus(due, "success")
  yield* noteValues(deposit, [route.originCurrency, route.destinationCurrency, route.destination.native])
  return filled
})

/**
 * The deposit that was filled must become final too; one that vanishes afterwards is a loss that somebody must see, if
 * its fill is there.
 */
const guardDeposit = Effect.fnUntraced(
  function*({ origin }: Route, transfer: Transfer, deposit: Deposit, { _tag: kept }: Payout) {
    const losses = yield* Losses
    const standing = yield* waitUntilFinal(origin, transfer, deposit)
    const now = yield* Clock.currentTimeMillis
    if (standing === "final") yield* losses.recover(deposit.onchainId, "deposit", now)
    if (standing === "gone" && kept === "Paid") {
      const { amount, chainId, currency, onchainId, transactionId } = deposit
      yield* losses.book({
        kind: "deposit",
        chainId,
        orderId: transfer.orderId,
        deposit: onchainId,
        transactionId,
        currency,
        amount
      }, now)
      yield* countStuck("filled-deposit-gone")
      yield* Effect.logError(
        `a deposit on ${origin.slug} that was filled is no longer on the chain (${deposit.transactionId})`
      )
    }
    return standing
  }
)

const guardDelivery = Effect.fnUntraced(
  function*(route: Route, due: DueDelivery, transfer: Transfer, deposit: Deposit) {
    const kept = yield* guardPayment(due)
    // Handed over to the place that this deposit has moved to: that one's filling guards it now.
    if (isClaimed(kept)) return filled
    const result = resultOf(kept, transfer, due)
    if (due.purpose === "fill" && kept._tag === "Reverted") yield* settleCalls(route, transfer, deposit, kept)
    const losses = yield* Losses
    if (result._tag === "Filled") yield* losses.recover(deposit.onchainId, "payment", yield* Clock.currentTimeMillis)
    else {
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
    // Its fees were spent even for a deposit that is gone; app fees are shares of what was received.
    if (standing !== "moved") yield* settleSponsor(transfer, kept)
    if (standing === "final") {
      yield* bookAppFees(transfer, { ...deposit, amount: deposit.amount - excessOf(transfer, deposit) })
    }
    return filled
  }
)

export const deliver = Effect.fnUntraced(
  function*(attempt: Attempt, route: Route, due: DueDelivery, transfer: Transfer, deposit: Deposit) {
    const paid = yield* step(
      `${attempt}.pay`,
      payDelivery(route, due, transfer, deposit).pipe(retryForever("fill.pay"))
    )
    return paid._tag === "Filled"
      ? yield* step(`${attempt}.guard`, guardDelivery(route, due, transfer, deposit).pipe(retryForever("fill.guard")))
      : paid
  }
)
