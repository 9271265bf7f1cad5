/**
 * Pays one leg of an order: signed, then stored, then broadcast, and looked after until it is final.
 *
 * Signing and storing are one transaction; what is broadcast is what was stored, so a crash between any two steps ends
 * in the same bytes being sent again. A leg that has a payment never gets a second one, but when the first can never be
 * carried out: its sequence was used by another transaction in a final block.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { DepositAnswered, Payments } from "../../../ports/Payments.ts"
import type { Leg, StoredPayment } from "../../../ports/Payments.ts"
import { Transfers } from "../../../ports/Transfers.ts"
import { PaymentRefused, Treasury } from "../../../ports/Treasury.ts"
import type { Payment, PaymentOutcome } from "../../../ports/Treasury.ts"
import type { Deposit } from "../../domain/transfer/Deposit.ts"
import type { Status } from "../../domain/transfer/Status.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { countStuck } from "../Meters.ts"
import { pollInterval } from "../PollInterval.ts"

export interface LegPayment {
  readonly transfer: Transfer
  readonly leg: Leg
  readonly deposit: Deposit
  readonly payment: Payment
  /** How long to wait for money that the treasury does not have now. */
  readonly patience: Duration.Duration
  /** Nothing is signed after this time, in seconds. */
  readonly notAfter: number | undefined
  /** True when the payment's way is the request's state. */
  readonly shown: boolean
}

/** Moves the request along with the payment; a request that has ended stays as it is. */
export const show = Effect.fnUntraced(function*({ shown, transfer }: LegPayment, to: Status) {
  if (!shown) return
  const transfers = yield* Transfers
  yield* transfers.move(transfer.id, { to, at: yield* Clock.currentTimeMillis })
})

const WAIT_FOR_FUNDS = Duration.seconds(5)

/** The stored payment of the leg, signed now if there is none; refusals of the treasury come back as values. */
const signOnce = Effect.fnUntraced(function*({ deposit, leg, payment, transfer }: LegPayment) {
  const payments = yield* Payments
  const treasury = yield* Treasury
  const stored = yield* payments.find(transfer.orderId, leg)
  if (stored !== undefined) return stored
  return yield* payments.signOnce(leg, deposit.onchainId, payment, yield* treasury.prepare(payment), yield* Clock.currentTimeMillis)
}, Effect.catchTags({
  PaymentRefused: (refused) => Effect.succeed(refused),
  DepositAnswered: (answered) => Effect.succeed(answered)
}))

export type Unpaid = "answered" | "claimed" | "expired" | PaymentRefused["reason"]

/** That there is no payment is concluded only while it is known what was paid; one that exists goes on in any case. */
const isSigned = Effect.fnUntraced(function*({ leg, payment, transfer }: LegPayment) {
  const payments = yield* Payments
  if ((yield* payments.find(transfer.orderId, leg)) !== undefined) return true
  yield* payments.refuseHeld(payment.chain)
  return (yield* payments.find(transfer.orderId, leg)) !== undefined
})

/** Signs the leg, waiting for money within its patience. */
const sign = Effect.fnUntraced(function*(leg: LegPayment) {
  const since = yield* Clock.currentTimeMillis
  let noted = false
  while (true) {
    const now = yield* Clock.currentTimeMillis
    const exists = yield* isSigned(leg)
    if (!exists && leg.notAfter !== undefined && now > leg.notAfter * 1000) return "expired" satisfies Unpaid
    const signed = yield* signOnce(leg)
    if (signed instanceof DepositAnswered) return "answered" satisfies Unpaid
    if (!(signed instanceof PaymentRefused)) return signed.deposit === leg.deposit.onchainId ? signed : "claimed" satisfies Unpaid
    if (signed.reason === "reverts") return signed.reason satisfies Unpaid
    if (!noted) {
      noted = true
      yield* countStuck("treasury-empty")
      yield* Effect.logError(`the treasury on ${leg.payment.chain.slug} lacks ${leg.payment.currency.symbol} or gas for a payment that is due`)
      yield* show(leg, "delayed")
    }
    if (now - since >= Duration.toMillis(leg.patience)) return signed.reason satisfies Unpaid
    yield* Effect.sleep(WAIT_FOR_FUNDS)
  }
})

type Included = Extract<PaymentOutcome, { readonly _tag: "Included" }>

/** Broadcasts as often as the chain forgets, until the payment is in a block that is `enough`; undefined when it never can be. */
const untilIncluded = Effect.fnUntraced(function*({ payment }: LegPayment, signed: StoredPayment, enough: (outcome: Included) => boolean) {
  const treasury = yield* Treasury
  while (true) {
    const outcome = yield* treasury.outcome(payment.chain, signed)
    if (outcome._tag === "Included" && enough(outcome)) return outcome
    if (outcome._tag === "Superseded") return undefined
    if (outcome._tag === "Unseen") yield* treasury.broadcast(payment.chain, signed)
    yield* Effect.sleep(pollInterval(payment.chain))
  }
})

const send = Effect.fnUntraced(function*(leg: LegPayment, signed: StoredPayment) {
  const payments = yield* Payments
  const treasury = yield* Treasury
  yield* treasury.broadcast(leg.payment.chain, signed)
  yield* payments.recordSent(leg.transfer.orderId, leg.leg)
  yield* show(leg, "submitted")
})

export type Payout = { readonly _tag: "Paid" } | { readonly _tag: "Reverted" } | { readonly _tag: "Unpaid"; readonly why: Unpaid }

/** Success is believed in any block, being guarded afterwards; a revert only in a final one, because a refund follows from it. */
const settles = ({ final, succeeded }: Included): boolean => succeeded || final

/**
 * Pays the leg and waits for its block: `enough` of it for success, a final one for a revert. May run any number of
 * times, before and after a crash: a payment that exists is never signed again.
 */
const pay = (leg: LegPayment, enough: (outcome: Included) => boolean) =>
  Effect.gen(function*() {
    const payments = yield* Payments
    while (true) {
      const signed = yield* sign(leg)
      if (typeof signed === "string") return { _tag: "Unpaid", why: signed } satisfies Payout
      if (signed.state === "signed") yield* send(leg, signed)
      // It was recorded as sent, and the process may have ended before that was shown: success comes after it only.
      else yield* show(leg, "submitted")
      const outcome = yield* untilIncluded(leg, signed, enough)
      if (outcome === undefined) {
        yield* countStuck("sequence-used-by-another")
        yield* Effect.logError(`a payment on ${leg.payment.chain.slug} lost its sequence to a transaction that is not ours; it is signed anew`)
        yield* payments.setAside(signed)
        continue
      }
      const { block, gasPaid, succeeded } = outcome
      yield* payments.recordOutcome(leg.transfer.orderId, leg.leg, { state: succeeded ? "included" : "reverted", block, gasPaid })
      return { _tag: succeeded ? "Paid" : "Reverted" } satisfies Payout
    }
  })

/** Pays the leg; returns as soon as the payment is in a block, or cannot be. */
export const payLeg = (leg: LegPayment) => pay(leg, settles)

/** Keeps a payment alive until no reorganisation can take it back; `Reverted` when one has made it fail for good. */
export const guardLeg = (leg: LegPayment) => pay(leg, ({ final }) => final)
