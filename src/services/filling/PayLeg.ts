/**
 * Pays one leg of an order: signed, then stored, then broadcast, and looked after until it is final.
 *
 * Signing and storing are one transaction; what is broadcast is what was stored, so a crash between any two steps ends
 * in the same bytes being sent again. A leg that has a payment never gets a second one.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import { failpoint } from "../../../ports/Failpoints.ts"
import { Payments } from "../../../ports/Payments.ts"
import type { Leg } from "../../../ports/Payments.ts"
import { Transfers } from "../../../ports/Transfers.ts"
import { Treasury } from "../../../ports/Treasury.ts"
import type { Payment, PaymentOutcome, SignedPayment } from "../../../ports/Treasury.ts"
import { TransactionId } from "../../domain/chain/TransactionId.ts"
import type { Deposit } from "../../domain/transfer/Deposit.ts"
import type { Status } from "../../domain/transfer/Status.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { persistently } from "../Persistently.ts"
import { pollInterval } from "../PollInterval.ts"

export interface LegPayment {
  readonly transfer: Transfer
  readonly leg: Leg
  readonly deposit: Deposit
  readonly payment: Payment
  /** Shown while the payment is on its way; undefined when this leg says nothing about the request's state. */
  readonly status: Status | undefined
}

const Signing = Schema.Union([
  Schema.TaggedStruct("Signed", { transactionId: TransactionId, raw: Schema.String }),
  /** Another deposit's payment has this leg. */
  Schema.TaggedStruct("Claimed", {}),
  Schema.TaggedStruct("Refused", { reason: Schema.Literals(["insufficient-funds", "reverts"]) })
])

const sign = Effect.fnUntraced(function*({ deposit, leg, payment, transfer }: LegPayment) {
  const payments = yield* Payments
  const treasury = yield* Treasury
  const stored = yield* payments.find(transfer.orderId, leg)
  const signed = stored ?? (yield* payments.signOnce(
    leg,
    deposit.onchainId,
    payment,
    yield* treasury.prepare(payment),
    yield* Clock.currentTimeMillis
  ))
  return signed.deposit === deposit.onchainId
    ? { _tag: "Signed" as const, transactionId: signed.transactionId, raw: signed.raw }
    : { _tag: "Claimed" as const }
}, Effect.catchTag("PaymentRefused", ({ reason }) => Effect.succeed({ _tag: "Refused" as const, reason })))

type Included = Extract<PaymentOutcome, { readonly _tag: "Included" }>

/** Broadcasts as often as the chain forgets, until the payment is in a block that satisfies `enough`. */
const untilIncluded = Effect.fnUntraced(function*(payment: Payment, signed: SignedPayment, enough: (outcome: Included) => boolean) {
  const treasury = yield* Treasury
  while (true) {
    const outcome = yield* treasury.outcome(payment.chain, signed)
    if (outcome._tag === "Included" && enough(outcome)) return outcome
    if (outcome._tag === "Unseen") yield* treasury.broadcast(payment.chain, signed)
    else yield* Effect.sleep(pollInterval(payment.chain))
  }
})

const moveTo = Effect.fnUntraced(function*({ status, transfer }: LegPayment) {
  if (status === undefined) return
  const transfers = yield* Transfers
  yield* transfers.move(transfer.id, { to: status, at: yield* Clock.currentTimeMillis })
})

const deliver = Effect.fnUntraced(function*(leg: LegPayment, signed: SignedPayment) {
  const payments = yield* Payments
  yield* failpoint(`${leg.leg}:before-broadcast`)
  const treasury = yield* Treasury
  yield* treasury.broadcast(leg.payment.chain, signed)
  yield* failpoint(`${leg.leg}:after-broadcast`)
  yield* moveTo(leg)
  const { block, gasPaid, succeeded } = yield* untilIncluded(leg.payment, signed, () => true)
  yield* payments.recordOutcome(leg.transfer.orderId, leg.leg, { state: succeeded ? "included" : "reverted", block, gasPaid })
  return succeeded
})

/** Names of activities must not hold the ids that vary between executions. */
const activityName = (leg: Leg): string => leg === "fill" ? "fill" : "refund"

/** Signs and delivers a leg; returns as soon as the payment is in a block. */
export const payLeg = Effect.fnUntraced(function*(leg: LegPayment) {
  const name = activityName(leg.leg)
  const signing = yield* Activity.make({
    name: `${name}.sign`,
    success: Signing,
    execute: sign(leg).pipe(persistently(`${name}.sign`))
  })
  if (signing._tag === "Claimed") return { result: "claimed" as const }
  if (signing._tag === "Refused") return { result: "refused" as const, reason: signing.reason }
  const paid = yield* Activity.make({
    name: `${name}.deliver`,
    success: Schema.Boolean,
    execute: deliver(leg, signing).pipe(persistently(`${name}.deliver`))
  })
  return { result: paid ? "paid" as const : "reverted" as const, signed: signing }
})

/** Keeps a delivered payment alive until no reorganisation can take it back. */
export const guardLeg = (leg: LegPayment, signed: SignedPayment) =>
  Activity.make({
    name: `${activityName(leg.leg)}.guard`,
    execute: untilIncluded(leg.payment, signed, (outcome) => outcome.final).pipe(
      persistently("guard"),
      Effect.tap((outcome) =>
        outcome.succeeded ? Effect.void : Effect.logError("a payment that was made was reverted by a reorganisation")),
      Effect.asVoid
    )
  })
