/**
 * Pays one leg of an order: signed, then stored, then broadcast, and looked after until it is final.
 *
 * Signing and storing are one transaction; what is broadcast is what was stored, so a crash between any two steps ends
 * in the same bytes being sent again. A leg that has a payment never gets a second one, but when the first can never be
 * carried out: its sequence was used by another transaction in a final block, or its time is over. A payment that is
 * not taken into a block is replaced at a higher fee, where the chain allows it: the same payment under the same
 * sequence, of which whichever variant is mined counts.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import type { Leg, StoredPayment } from "../../../ports/store/orders/Payments.ts"
import type { PriceUnavailable } from "../../../ports/market/Prices.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { PaymentRefused, Treasury } from "../../../ports/chain/Treasury.ts"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import type { PaymentOutcome, PreparedPayment } from "../../../ports/chain/Treasury.ts"
import type { ChainId } from "../../domain/chain/ChainId.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import type { RequestId } from "../../domain/transfer/RequestId.ts"
import type { Status } from "../../domain/transfer/Status.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import type { Alarm } from "../operations/Alarms.ts"
import { isHalted } from "../deposits/halt/Halting.ts"
import { countStuck } from "../operations/Meters.ts"
import { pollInterval } from "../polling/PollInterval.ts"
import { replaceUnauthorized, replaceWhenStuck } from "./ReplacePayment.ts"

export interface LegPayment {
  readonly transfer: Pick<Transfer, "orderId">
  readonly leg: Leg
  /**
   * What the payment answers, with the chain that it came on; a payout or a sweep answers no deposit and names itself.
   */
  readonly deposit: Pick<Deposit, "onchainId"> & Partial<Pick<Deposit, "chainId">>
  readonly payment: Payment
  /** How long to wait for money that the treasury does not have now. */
  readonly patience: Duration.Duration
  /** One that waits for its turn before anything is signed, until a time in seconds, in place of its patience. */
  readonly turn?: { readonly until: number; readonly take: Effect.Effect<boolean, ChainUnavailable | StoreUnavailable> }
  /** Nothing is signed after this time, in seconds. */
  readonly notAfter: number | undefined
  /** Asked right before it is signed: what is not due any more is not signed. Absent where a payment stays owed. */
  readonly isDue?: Effect.Effect<boolean, ChainUnavailable | PriceUnavailable | StoreUnavailable>
  /**
   * Asked of what is about to be signed, first or in its place: what nobody bears the risk of is not signed. Absent
   * where there is none.
   */
  readonly isBorne?: (
    prepared: Pick<PreparedPayment, "mostGas">
  ) => Effect.Effect<boolean, PriceUnavailable | StoreUnavailable>
  /** The request whose state the payment's way is; undefined when it is no request's. */
  readonly shown: RequestId | undefined
}

/** Moves the request along with the payment; a request that has ended stays as it is. */
export const show = Effect.fnUntraced(function*({ shown }: LegPayment, to: Status) {
  if (shown === undefined) return
  const transfers = yield* Transfers
  yield* transfers.move(shown, { to, at: yield* Clock.currentTimeMillis })
})

/** Waits while any of the chains is halted. */
const untilServing = Effect.fnUntraced(function*(leg: LegPayment, chainIds: ReadonlyArray<ChainId>) {
  const { chain } = leg.payment
  while (yield* isHalted(chainIds)) {
    yield* show(leg, "delayed")
    yield* Effect.sleep(pollInterval(chain))
  }
})

const WAIT_FOR_FUNDS = Duration.seconds(5)

/** The stored payment of the leg, signed now if there is none; refusals of the treasury come back as values. */
const signOnce = Effect.fnUntraced(function*({ deposit, isBorne, leg, payment, transfer }: LegPayment) {
  const payments = yield* Payments
  const treasury = yield* Treasury
  const stored = yield* payments.find(transfer.orderId, leg)
  if (stored !== undefined) return stored
  const prepared = yield* treasury.prepare(payment)
  if (isBorne !== undefined && !(yield* isBorne(prepared))) return "unborne" as const
  return yield* payments.signOnce(leg, deposit.onchainId, payment, prepared, yield* Clock.currentTimeMillis)
}, Effect.catchTag("PaymentRefused", (refused) => Effect.succeed(refused)))

/**
 * `claimed`: the leg is another deposit's, or another leg of the order excludes it. `undue`, `unborne`: by the leg's
 * own word.
 */
export type Unpaid = "claimed" | "expired" | "unborne" | "undue" | PaymentRefused["reason"]

/** That there is no payment is concluded only while it is known what was paid; one that exists goes on in any case. */
const isSigned = Effect.fnUntraced(function*({ leg, payment, transfer }: LegPayment) {
  const payments = yield* Payments
  if ((yield* payments.find(transfer.orderId, leg)) !== undefined) return true
  yield* payments.refuseHeld(payment.chain)
  return (yield* payments.find(transfer.orderId, leg)) !== undefined
})

/** Who was quoted inventory that was there has to get it; who asked to wait for it waits. */
const tellShort = Effect.fnUntraced(function*({ payment: { chain, currency }, turn }: LegPayment) {
  if (turn !== undefined) {
    return yield* Effect.logWarning(`a fill on ${chain.slug} waits for ${currency.symbol}, as its request allows`)
  }
  yield* countStuck("treasury-empty")
  yield* Effect.logError(`the treasury on ${chain.slug} lacks ${currency.symbol} or gas for a payment that is due`)
})

/** `since`, `now` in milliseconds. */
const isOver = ({ patience, turn }: LegPayment, since: number, now: number): boolean =>
  turn === undefined ? now - since >= Duration.toMillis(patience) : now > turn.until * 1000

/** Signs the leg, waiting for money within its patience. */
const sign = Effect.fnUntraced(function*(leg: LegPayment) {
  const since = yield* Clock.currentTimeMillis
  const { deposit: { chainId: origin }, payment: { chain } } = leg
  let noted = false
  while (true) {
    const exists = yield* isSigned(leg)
    // Nothing is signed for a deposit on a halted chain. What was signed goes on: others wait behind its sequence.
    if (!exists) yield* untilServing(leg, origin === undefined ? [chain.id] : [chain.id, origin])
    const now = yield* Clock.currentTimeMillis
    if (!exists && leg.notAfter !== undefined && now > leg.notAfter * 1000) return "expired" satisfies Unpaid
    if (!exists && leg.isDue !== undefined && !(yield* leg.isDue)) return "undue" satisfies Unpaid
    const signed = exists || leg.turn === undefined || (yield* leg.turn.take)
      ? yield* signOnce(leg)
      : new PaymentRefused({ reason: "insufficient-funds" })
    if (signed === "unborne") return signed satisfies Unpaid
    if (!(signed instanceof PaymentRefused)) {
      return signed.deposit === leg.deposit.onchainId && signed.leg === leg.leg ? signed : "claimed" satisfies Unpaid
    }
    if (signed.reason === "reverts") return signed.reason satisfies Unpaid
    if (!noted) {
      noted = true
      yield* tellShort(leg)
      yield* show(leg, "delayed")
    }
    if (isOver(leg, since, now)) return signed.reason satisfies Unpaid
    yield* Effect.sleep(WAIT_FOR_FUNDS)
  }
})

type Included = Extract<PaymentOutcome, { readonly _tag: "Included" }>

/**
 * Hands the newest variant to the chain. One that is not taken for its fee stays stored: the rule of replacement has
 * its turn.
 */
const send = Effect.fnUntraced(function*(leg: LegPayment, payment: StoredPayment) {
  const payments = yield* Payments
  const treasury = yield* Treasury
  const said = yield* treasury.broadcast(leg.payment.chain, payment.variants.at(-1) ?? payment)
  if (said === "accepted" && payment.state === "signed") yield* payments.recordSent(payment)
  return said
})

/** What is told once of a payment, however often it is looked at. */
const alarmOnce = () => {
  const told = new Set<Alarm>()
  return Effect.fnUntraced(function*(what: Alarm, message: string) {
    if (told.has(what)) return
    told.add(what)
    yield* countStuck(what)
    yield* Effect.logError(message)
  })
}

/** Why no variant of a payment ever can be in a block. */
type Lost = Extract<PaymentOutcome["_tag"], "Expired" | "Superseded">

/**
 * Broadcasts as often as the chain forgets, and replaces what is stuck, until a variant is in a block that is `enough`,
 * or none ever can be. The payment is read anew each time: somebody else may have replaced it.
 */
const untilIncluded = Effect.fnUntraced(
  function*(leg: LegPayment, signed: StoredPayment, enough: (outcome: Included) => boolean) {
    const { chain } = leg.payment
    const payments = yield* Payments
    const treasury = yield* Treasury
    const alarm = alarmOnce()
    let lastIncluded = 0
    let shown: Status | undefined
    const showOnce = Effect.fnUntraced(function*(to: Status) {
      if (to !== shown) yield* show(leg, to)
      shown = to
    })
    while (true) {
      // On a halted chain nothing goes out, and nothing counts as final.
      yield* untilServing(leg, [chain.id])
      const payment = (yield* payments.find(signed.orderId, signed.leg)) ?? signed
      const isUnsent = payment.state === "signed"
      let said = isUnsent ? yield* send(leg, payment) : "accepted"
      if (said === "unauthorized") {
        yield* replaceUnauthorized(chain, payment)
        yield* Effect.sleep(pollInterval(chain))
        continue
      }
      // Also after a crash between recording and showing: success comes after this only.
      yield* showOnce(payment.variants.length > 1 || said !== "accepted" ? "delayed" : "submitted")
      const outcome = yield* treasury.outcome(chain, payment.variants)
      if (outcome._tag === "Included" && enough(outcome)) return { payment, outcome }
      if (outcome._tag === "Superseded" || outcome._tag === "Expired") {
        return { payment, outcome: outcome._tag satisfies Lost }
      }
      if (outcome._tag === "Included") lastIncluded = yield* Clock.currentTimeMillis
      else {
        if (outcome._tag === "Unseen" && !isUnsent) said = yield* send(leg, payment)
        if (said === "unauthorized") {
          yield* replaceUnauthorized(chain, payment)
          yield* Effect.sleep(pollInterval(chain))
          continue
        }
        if (said === "unfunded") {
          yield* alarm("treasury-empty", `the treasury on ${chain.slug} lacks what a payment on its way costs`)
        }
        const replaced = yield* replaceWhenStuck(chain, payment, lastIncluded, leg.isBorne)
        if (replaced === "exhausted") {
          yield* alarm(
            "payment-stuck",
            `a payment on ${chain.slug} is not taken into a block and its fee may not rise further (${payment.transactionId})`
          )
        }
        if (replaced === "unfunded") {
          yield* alarm(
            "treasury-empty",
            `the treasury on ${chain.slug} lacks the gas to replace a payment that is stuck`
          )
        }
        // What has a new variant is sent at once.
        if (replaced === "replaced") continue
      }
      yield* Effect.sleep(pollInterval(chain))
    }
  }
)

/** `gasPaid` and `rentPaid` in smallest units of the chain's native currency; `height` is the block's. */
export type Payout =
  | { readonly _tag: "Paid"; readonly gasPaid: bigint; readonly rentPaid: bigint | undefined; readonly height: bigint }
  | { readonly _tag: "Reverted"; readonly gasPaid: bigint; readonly height: bigint }
  | { readonly _tag: "Unpaid"; readonly why: Unpaid }

/** Only a sequence that somebody else has used is an alarm: the account's key is in other hands, or in two services. */
const tellLost = Effect.fnUntraced(function*({ payment: { chain } }: LegPayment, lost: Lost) {
  if (lost === "Expired") {
    return yield* Effect.logInfo(`a payment on ${chain.slug} expired before a block took it; it is signed anew`)
  }
  yield* countStuck("sequence-used-by-another")
  yield* Effect.logError(
    `a payment on ${chain.slug} lost its sequence to a transaction that is not ours; it is signed anew`
  )
})

/**
 * Success is believed in any block, being guarded afterwards; a revert only in a final one, because a refund follows
 * from it.
 */
const settles = ({ final, succeeded }: Included): boolean => succeeded || final

/**
 * Pays the leg and waits for its block: `enough` of it for success, a final one for a revert. May run any number of
 * times, before and after a crash: a payment that exists is never signed again but for the same sequence.
 */
const pay = (leg: LegPayment, enough: (outcome: Included) => boolean) =>
  Effect.gen(function*() {
    const payments = yield* Payments
    while (true) {
      const signed = yield* sign(leg)
      if (typeof signed === "string") return { _tag: "Unpaid", why: signed } satisfies Payout
      const { outcome, payment } = yield* untilIncluded(leg, signed, enough)
      if (typeof outcome === "string") {
        // A store that was restored may have forgotten what was signed in its place.
        yield* payments.refuseHeld(leg.payment.chain)
        yield* tellLost(leg, outcome)
        yield* payments.setAside(payment)
        continue
      }
      const { block, gasPaid, rentPaid, succeeded, transactionId } = outcome
      yield* payments.recordOutcome(leg.transfer.orderId, leg.leg, {
        state: succeeded ? "included" : "reverted",
        transactionId,
        block,
        gasPaid
      })
      const { height } = block
      return (succeeded
        ? { _tag: "Paid", gasPaid, rentPaid, height }
        : { _tag: "Reverted", gasPaid, height }) satisfies Payout
    }
  })

/** Pays the leg; returns as soon as the payment is in a block, or cannot be. */
export const payLeg = (leg: LegPayment) => pay(leg, settles)

/** Keeps a payment alive until no reorganisation can take it back; `Reverted` when one has made it fail for good. */
export const guardLeg = (leg: LegPayment) => pay(leg, ({ final }) => final)
