/** Pays what an order promises for a deposit, and says what that means for the request. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Losses } from "../../../ports/Losses.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Deposit } from "../../domain/transfer/Deposit.ts"
import { topupOf } from "../../domain/order/Topup.ts"
import type { FailReason } from "../../domain/transfer/FailReason.ts"
import { payBy } from "../../domain/transfer/JudgeDeposit.ts"
import { settlesUntil } from "../../domain/settling/SettledFill.ts"
import { REFUND_MARGIN_SECONDS } from "../../domain/settling/SettledRefund.ts"
import { excessOf } from "../../domain/transfer/Excess.ts"
import { whyReverted } from "../../domain/transfer/Transfer.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { countStuck } from "../Meters.ts"
import { persistently } from "../Persistently.ts"
import { authorizationsOf } from "../MarketFacts.ts"
import type { Route } from "../MarketFacts.ts"
import { bookAppFees } from "./BookAppFees.ts"
import { step } from "./FillingSteps.ts"
import { settleSponsor } from "./HoldSponsor.ts"
import { noteValues } from "./NoteValues.ts"
import { keepPromise, promise } from "./Promise.ts"
import { guardLeg, payLeg, show } from "./PayLeg.ts"
import type { LegPayment, Payout } from "./PayLeg.ts"
import { turnFor } from "./TakeTurn.ts"
import { untilFinal } from "./UntilFinal.ts"

/** How long a fill waits for inventory before the deposit goes back. */
const PATIENCE = Duration.minutes(10)

/** Room for the fill to be mined before the order's deadline. */
const DEADLINE_MARGIN_SECONDS = 120

const reasonOf = (payout: Payout, { terms }: Transfer): FailReason | undefined => {
  if (payout._tag === "Paid") return undefined
  if (payout._tag === "Reverted") return whyReverted(terms)
  switch (payout.why) {
    case "claimed":
      return "DOUBLE_SPEND"
    case "expired":
      return "ORDER_EXPIRED"
    case "insufficient-funds":
      return "SOLVER_CAPACITY_EXCEEDED"
    case "reverts":
      return whyReverted(terms)
    // A fill is due whatever happens: it has no say of its own.
    case "undue":
      return "UNKNOWN"
  }
}

/** The deposit that was filled must become final too; one that vanishes afterwards is a loss that somebody must see. */
const guardDeposit = Effect.fnUntraced(function*(chain: Chain, transfer: Transfer, deposit: Deposit) {
  const losses = yield* Losses
  const standing = yield* untilFinal(chain, transfer, deposit)
  const now = yield* Clock.currentTimeMillis
  if (standing === "final") yield* losses.recover(deposit.onchainId, "deposit", now)
  if (standing === "gone") {
    const { amount, chainId, currency, onchainId, transactionId } = deposit
    yield* losses.book({ kind: "deposit", chainId, orderId: transfer.orderId, deposit: onchainId, transactionId, currency, amount }, now)
    yield* countStuck("filled-deposit-gone")
    yield* Effect.logError(`a deposit on ${chain.slug} that was filled is no longer on the chain (${deposit.transactionId})`)
  }
  return standing
})

/**
 * Undefined when the order is filled for good, else why the deposit has to go back. `amountOut` in smallest units.
 * `attempt` names the activities: a workflow that fills twice must not be given the first one's result.
 */
export const fillDeposit = Effect.fnUntraced(function*(
  attempt: "fill" | "fill.again",
  route: Route,
  transfer: Transfer,
  deposit: Deposit,
  amountOut: bigint
) {
  const leg: LegPayment = {
    transfer,
    leg: "fill",
    deposit,
    payment: {
      chain: route.destination,
      currency: route.destinationCurrency,
      recipient: transfer.terms.recipient,
      amount: amountOut,
      orderId: transfer.orderId,
      calls: route.calls,
      callsGas: route.callsGas,
      leftover: route.leftover,
      topup: topupOf(transfer.order),
      ...authorizationsOf(route)
    },
    patience: PATIENCE,
    notAfter: Math.min(
      payBy(transfer, deposit) - DEADLINE_MARGIN_SECONDS,
      // A verdict of a version before may be of a fill that nothing settles.
      (settlesUntil(transfer.order, { deposited: deposit.amount, amountOut }) ?? 0) - REFUND_MARGIN_SECONDS
    ),
    shown: transfer.id
  }
  const reason = yield* step(`${attempt}.pay`, Effect.gen(function*() {
    // Whoever sent the deposit: an order that is being filled is the request's own way.
    yield* show(leg, "pending")
    yield* promise(route, transfer, deposit, amountOut)
    const turn = yield* turnFor(route, transfer, deposit, amountOut)
    const why = reasonOf(yield* payLeg(turn === undefined ? leg : { ...leg, turn }), transfer)
    yield* keepPromise(transfer)
    if (why === undefined) yield* show(leg, "success")
    if (why === undefined) yield* noteValues(deposit, [route.originCurrency, route.destinationCurrency, route.destination.native])
    return why ?? "none"
  }).pipe(persistently("fill.pay")))
  if (reason !== "none") return reason
  const lost = yield* step(`${attempt}.guard`, Effect.gen(function*() {
    const kept = yield* guardLeg(leg)
    // Handed over to the place that this deposit has moved to: that one's filling guards it now.
    if (kept._tag === "Unpaid" && kept.why === "claimed") return "none"
    const why = reasonOf(kept, transfer)
    const losses = yield* Losses
    if (why === undefined) yield* losses.recover(deposit.onchainId, "payment", yield* Clock.currentTimeMillis)
    else {
      yield* countStuck("fill-reverted-by-reorganisation")
      yield* Effect.logError(`a fill on ${route.destination.slug} that was shown as success was reverted by a reorganisation: its deposit is refunded`)
    }
    const standing = yield* guardDeposit(route.origin, transfer, deposit)
    if (kept._tag !== "Paid") return why ?? "none"
    // Its fees were spent even for a deposit that is gone; app fees are shares of what was received.
    if (standing !== "moved") yield* settleSponsor(transfer, kept.gasPaid)
    if (standing === "final") yield* bookAppFees(transfer, { ...deposit, amount: deposit.amount - excessOf(transfer, deposit) })
    return "none"
  }).pipe(persistently("fill.guard")))
  return lost === "none" ? undefined : lost
})
