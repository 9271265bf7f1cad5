/** Pays what an order promises for a deposit, and says what that means for the request. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import { DepositWatcher } from "../../../ports/DepositWatcher.ts"
import { Payments } from "../../../ports/Payments.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Deposit } from "../../domain/transfer/Deposit.ts"
import { FailReason } from "../../domain/transfer/FailReason.ts"
import { payBy } from "../../domain/transfer/JudgeDeposit.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { countStuck } from "../Meters.ts"
import { persistently } from "../Persistently.ts"
import { pollInterval } from "../PollInterval.ts"
import type { Route } from "../MarketFacts.ts"
import { bookAppFees } from "./BookAppFees.ts"
import { noteValues } from "./NoteValues.ts"
import { keepPromise, promise } from "./Promise.ts"
import { guardLeg, payLeg, show } from "./PayLeg.ts"
import type { LegPayment, Payout } from "./PayLeg.ts"

/** How long a fill waits for inventory before the deposit goes back. */
const PATIENCE = Duration.minutes(10)

/** Room for the fill to be mined before the order's deadline. */
const DEADLINE_MARGIN_SECONDS = 120

const reasonOf = (payout: Payout): FailReason | undefined => {
  if (payout._tag === "Paid") return undefined
  if (payout._tag === "Reverted") return "TRANSACTION_REVERTED"
  switch (payout.why) {
    case "answered":
      return "UNKNOWN"
    case "claimed":
      return "DOUBLE_SPEND"
    case "expired":
      return "ORDER_EXPIRED"
    case "insufficient-funds":
      return "SOLVER_CAPACITY_EXCEEDED"
    case "reverts":
      return "TRANSACTION_REVERTED"
  }
}

/** Looks at a deposit that vanished until it is clear whether it is back in another place: then that one's filling has the order. */
const MOVED_AFTER_LOOKS = 25

/** The deposit that was filled must become final too; one that vanishes afterwards is a loss that somebody must see. */
const guardDeposit = Effect.fnUntraced(function*(chain: Chain, transfer: Transfer, deposit: Deposit) {
  const watcher = yield* DepositWatcher
  const payments = yield* Payments
  let vanished = 0
  while (true) {
    const standing = yield* watcher.standing(chain, deposit)
    if (standing._tag === "Included" && standing.final) return
    vanished = standing._tag === "Gone" ? vanished + 1 : 0
    const claimant = vanished === 0 ? deposit.onchainId : (yield* payments.find(transfer.orderId, "fill"))?.deposit
    if (claimant !== deposit.onchainId) return
    if (vanished >= MOVED_AFTER_LOOKS) {
      yield* countStuck("filled-deposit-gone")
      yield* Effect.logError(`a deposit on ${chain.slug} that was filled is no longer on the chain (${deposit.transactionId})`)
      return
    }
    yield* Effect.sleep(pollInterval(chain))
  }
})

const Reason = Schema.Union([FailReason, Schema.Literal("none")])

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
      callsGas: route.callsGas
    },
    patience: PATIENCE,
    notAfter: payBy(transfer, deposit) - DEADLINE_MARGIN_SECONDS,
    shown: true
  }
  const reason = yield* Activity.make({
    name: `${attempt}.pay`,
    success: Reason,
    execute: Effect.gen(function*() {
      // Whoever sent the deposit: an order that is being filled is the request's own way.
      yield* show(leg, "pending")
      yield* promise(route, transfer, amountOut)
      const why = reasonOf(yield* payLeg(leg))
      yield* keepPromise(transfer)
      if (why === undefined) yield* show(leg, "success")
      if (why === undefined) yield* noteValues(deposit, [route.originCurrency, route.destinationCurrency, route.destination.native])
      return why ?? "none"
    }).pipe(persistently("fill.pay"))
  })
  if (reason !== "none") return reason
  const lost = yield* Activity.make({
    name: `${attempt}.guard`,
    success: Reason,
    execute: Effect.gen(function*() {
      const kept = yield* guardLeg(leg)
      // Handed over to the place that this deposit has moved to: that one's filling guards it now.
      if (kept._tag === "Unpaid" && kept.why === "claimed") return "none"
      const why = reasonOf(kept)
      if (why !== undefined) {
        yield* countStuck("fill-reverted-by-reorganisation")
        yield* Effect.logError(`a fill on ${route.destination.slug} that was shown as success was reverted by a reorganisation: its deposit is refunded`)
      }
      yield* guardDeposit(route.origin, transfer, deposit)
      if (why === undefined) yield* bookAppFees(transfer, deposit)
      return why ?? "none"
    }).pipe(persistently("fill.guard"))
  })
  return lost === "none" ? undefined : lost
})
