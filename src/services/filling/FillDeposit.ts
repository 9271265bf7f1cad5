/**
 * Pays what an order promises for a deposit, and says what that means for the request; where a swap of the fill cannot
 * be made and the request has it so, what would have been swapped.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Losses } from "../../../ports/store/ledger/Losses.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import { topupOf } from "../../domain/order/Topup.ts"
import type { FailReason } from "../../domain/transfer/FailReason.ts"
import { payBy } from "../../domain/transfer/deposit/JudgeDeposit.ts"
import { fallbackUntil } from "../../domain/hub/settling/SettledFallback.ts"
import { settlesUntil } from "../../domain/hub/settling/SettledFill.ts"
import { REFUND_MARGIN_SECONDS } from "../../domain/hub/settling/SettledRefund.ts"
import { excessOf } from "../../domain/transfer/refund/Excess.ts"
import { fallsBack, whyReverted } from "../../domain/transfer/Transfer.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { countStuck } from "../operations/Meters.ts"
import { deliveryPayment, unswapped } from "../payments/DeliveryPayment.ts"
import { persistently } from "../polling/Persistently.ts"
import type { Route } from "../quoting/market/MarketFacts.ts"
import { bearCalls, settleCalls } from "./BearCalls.ts"
import { bookAppFees } from "./BookAppFees.ts"
import { findDelivery } from "./Delivery.ts"
import { step } from "./FillingSteps.ts"
import { settleSponsor } from "./HoldSponsor.ts"
import { noteValues } from "./NoteValues.ts"
import { keepPromise, promise } from "./Promise.ts"
import { guardLeg, payLeg, show } from "./PayLeg.ts"
import type { LegPayment, Payout } from "./PayLeg.ts"
import { turnFor } from "./TakeTurn.ts"
import { stands, untilFinal } from "./UntilFinal.ts"
import { untilServing } from "./UntilServing.ts"

/** How long a fill waits for inventory before the deposit goes back. */
const PATIENCE = Duration.minutes(10)

/** Room for the fill to be mined before the order's deadline. */
export const DEADLINE_MARGIN_SECONDS = 120

const reasonOf = (payout: Payout, { terms }: Transfer, { leg }: LegPayment): FailReason | undefined => {
  if (payout._tag === "Paid") return undefined
  // It goes back because of the swap, whatever kept the recipient from getting what it would have taken.
  if (leg === "fallback" && !(payout._tag === "Unpaid" && payout.why === "claimed")) return whyReverted(terms)
  if (payout._tag === "Reverted") return whyReverted(terms)
  switch (payout.why) {
    case "claimed":
      return "DOUBLE_SPEND"
    case "expired":
      return "ORDER_EXPIRED"
    case "insufficient-funds":
    case "unborne":
      return "SOLVER_CAPACITY_EXCEEDED"
    case "reverts":
      return whyReverted(terms)
    // A fill is due whatever happens: it has no say of its own, and a fallback's was heard above.
    case "undue":
      return "UNKNOWN"
  }
}

/**
 * The deposit that was filled must become final too; one that vanishes afterwards is a loss that somebody must see, if
 * its fill is there.
 */
const guardDeposit = Effect.fnUntraced(
  function*(chain: Chain, transfer: Transfer, deposit: Deposit, { _tag: kept }: Payout) {
    const losses = yield* Losses
    const standing = yield* untilFinal(chain, transfer, deposit)
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
        `a deposit on ${chain.slug} that was filled is no longer on the chain (${deposit.transactionId})`
      )
    }
    return standing
  }
)

/** Names the activities: a workflow that fills twice must not be given the first one's result. */
type Attempt = "fill" | "fill.again"

/** What both of an order's payments on its destination have in common. */
const deliveryLeg = (route: Route, transfer: Transfer, deposit: Deposit, amountOut: bigint) => ({
  transfer,
  deposit,
  payment: deliveryPayment(route, { orderId: transfer.orderId, amount: amountOut, topup: topupOf(transfer.order) }),
  patience: PATIENCE,
  shown: transfer.id
})

const fillLeg = (route: Route, transfer: Transfer, deposit: Deposit, amountOut: bigint): LegPayment => ({
  ...deliveryLeg(route, transfer, deposit, amountOut),
  leg: "fill",
  notAfter: Math.min(
    payBy(transfer, deposit) - DEADLINE_MARGIN_SECONDS,
    // A verdict of a version before may be of a fill that nothing settles.
    (settlesUntil(transfer.order, { deposited: deposit.amount, amountOut }) ?? 0) - REFUND_MARGIN_SECONDS
  )
})

/**
 * From the vault, as the fill would have been: what is promised of it is there, and its books have one payment of an
 * order.
 */
const fallbackLeg = (
  route: Route,
  transfer: Transfer,
  deposit: Deposit,
  amountOut: bigint,
  isDue: LegPayment["isDue"] & {}
): LegPayment => {
  const { order, terms: { recipient } } = transfer
  // What no oracle attests would be the solver's loss: then the deposit goes back.
  const notAfter = (fallbackUntil(order, { deposited: deposit.amount, amountOut, recipient }) ?? 0) -
    REFUND_MARGIN_SECONDS
  return { ...deliveryLeg(unswapped(route), transfer, deposit, amountOut), leg: "fallback", notAfter, isDue }
}

/** The deposit has fallen back already, before it was looked at anew after a reorganisation. */
const hasFallenBack = Effect.fnUntraced(function*({ orderId }: Transfer, { onchainId }: Deposit) {
  const paid = yield* findDelivery(orderId)
  return paid?.leg === "fallback" && paid.deposit === onchainId
})

/** There may be no deposit any more that anything could be paid for. */
const isDoubtful = (payout: Payout): boolean =>
  payout._tag === "Reverted" || (payout._tag === "Unpaid" && payout.why === "undue")

/**
 * Undefined when the order is delivered for good, else why it is not. SECURITY: `DEPOSIT_REORGED` when the deposit is
 * no longer where it was and nothing is delivered for it here. Nothing else is then signed for it: where it has moved
 * to has a filling of its own, which has what was signed and gives the deposit back as its own.
 */
const deliver = Effect.fnUntraced(
  function*(
    attempt: Attempt | "fallback" | "fallback.again",
    route: Route,
    leg: LegPayment,
    transfer: Transfer,
    deposit: Deposit
  ) {
    const { amount: amountOut } = leg.payment
    const reason = yield* step(
      `${attempt}.pay`,
      Effect.gen(function*() {
        // Whoever sent the deposit: an order that is being filled is the request's own way.
        yield* show(leg, "pending")
        // What is signed already goes on, as on a chain that an operator has paused.
        if ((yield* (yield* Payments).find(transfer.orderId, leg.leg)) === undefined) {
          yield* untilServing(route, transfer, leg.notAfter ?? 0)
        }
        yield* promise(route, transfer, deposit, amountOut)
        // What a fill has waited for is not waited for again.
        const turn = leg.leg === "fallback" ? undefined : yield* turnFor(route, transfer, deposit, amountOut)
        const payout = yield* payLeg(turn === undefined ? leg : { ...leg, turn })
        if (leg.leg === "fill" && (payout._tag !== "Unpaid" || payout.why !== "claimed")) {
          yield* settleCalls(route, transfer, deposit, payout)
        }
        const paid = reasonOf(payout, transfer, leg)
        const why = paid === "DOUBLE_SPEND" && leg.leg === "fill" && (yield* hasFallenBack(transfer, deposit))
          ? whyReverted(transfer.terms)
          : paid
        yield* keepPromise(transfer)
        // What reverted is handed over with a deposit that moves: whatever is signed next is signed for where the
        // deposit stands for good.
        if (
          isDoubtful(payout) && (yield* untilFinal(route.origin, transfer, deposit)) !== "final"
        ) {
          return "DEPOSIT_REORGED"
        }
        if (why === undefined) {
          yield* show(leg, "success")
        }
        if (why === undefined) {
          yield* noteValues(deposit, [route.originCurrency, route.destinationCurrency, route.destination.native])
        }
        return why ?? "none"
      }).pipe(persistently("fill.pay"))
    )
    if (reason !== "none") return reason
    const lost = yield* step(
      `${attempt}.guard`,
      Effect.gen(function*() {
        const kept = yield* guardLeg(leg)
        // Handed over to the place that this deposit has moved to: that one's filling guards it now.
        if (kept._tag === "Unpaid" && kept.why === "claimed") return "none"
        const why = reasonOf(kept, transfer, leg)
        if (leg.leg === "fill" && kept._tag === "Reverted") yield* settleCalls(route, transfer, deposit, kept)
        const losses = yield* Losses
        if (why === undefined) yield* losses.recover(deposit.onchainId, "payment", yield* Clock.currentTimeMillis)
        else {
          yield* countStuck("fill-reverted-by-reorganisation")
          yield* Effect.logError(
            `a fill on ${route.destination.slug} that was shown as success was reverted by a reorganisation: if its deposit stands it ${
              leg.leg === "fill" && fallsBack(transfer.terms)
                ? "falls back to what would have been swapped"
                : "is refunded"
            }`
          )
        }
        const standing = yield* guardDeposit(route.origin, transfer, deposit, kept)
        if (kept._tag !== "Paid") return standing === "final" ? why ?? "none" : "DEPOSIT_REORGED"
        // Its fees were spent even for a deposit that is gone; app fees are shares of what was received.
        if (standing !== "moved") yield* settleSponsor(transfer, kept)
        if (standing === "final") {
          yield* bookAppFees(transfer, { ...deposit, amount: deposit.amount - excessOf(transfer, deposit) })
        }
        return "none"
      }).pipe(persistently("fill.guard"))
    )
    return lost === "none" ? undefined : lost
  }
)

/**
 * Undefined when the order is filled for good, or its swap's currency delivered where the request falls back to that;
 * else why the deposit has to go back, or that it is not there to go back (`DEPOSIT_REORGED`). `amountOut` in smallest
 * units.
 */
export const fillDeposit = Effect.fnUntraced(
  function*(attempt: Attempt, route: Route, transfer: Transfer, deposit: Deposit, amountOut: bigint) {
    const isBorne = yield* bearCalls(route, transfer, deposit)
    const leg = { ...fillLeg(route, transfer, deposit, amountOut), ...(isBorne === undefined ? {} : { isBorne }) }
    const reason = yield* deliver(attempt, route, leg, transfer, deposit)
    if (reason !== whyReverted(transfer.terms) || !fallsBack(transfer.terms)) return reason
    const instead = attempt === "fill" ? "fallback" : "fallback.again"
    const isDue = yield* stands(route.origin, transfer, deposit)
    return yield* deliver(instead, route, fallbackLeg(route, transfer, deposit, amountOut, isDue), transfer, deposit)
  }
)
