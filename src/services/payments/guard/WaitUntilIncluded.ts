/**
 * Gets a signed payment into a block: rebroadcasts it when the chain forgets it, and replaces it when it is stuck,
 * until a variant is in a block that is `enough`, or none can ever be.
 *
 * Another process may replace it meanwhile. So it is read again after a while, after each replacement, and before it
 * counts as lost. In between it is known here: each look asks the chain alone. A replacement compares the number of
 * variants where it signs, so what is old here replaces nothing.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ChainUnavailable } from "../../../../ports/chain/ChainUnavailable.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import { Treasury } from "../../../../ports/chain/Treasury.ts"
import type { PaymentOutcome } from "../../../../ports/chain/Treasury.ts"
import type { ReadBy } from "../../../../ports/chain/ReadBy.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import type { Status } from "../../../domain/transfer/Status.ts"
import type { Alarm } from "../../operations/Alarms.ts"
import { countStuck } from "../../operations/Meters.ts"
import { isHalted } from "../../deposits/halt/Halting.ts"
import { after, again, found, lookUntil, whenFinal, whenMoved } from "../../following/LookUntil.ts"
import { showStatus, whileHalted } from "../DuePayment.ts"
import type { DuePayment } from "../DuePayment.ts"
import { replaceUnauthorized, replaceWhenStuck } from "../replace/ReplaceStuck.ts"
import { sameForms } from "../../../domain/transfer/payment/SameForms.ts"

/** The payment is in a block, which a reorg may still replace. */
export type Included = Extract<PaymentOutcome, { readonly _tag: "Included" }>

/** Why no variant of a payment can ever be in a block. */
export type Lost = Extract<PaymentOutcome["_tag"], "Expired" | "Superseded">

/** How a payment ended, for whoever waits for it. */
interface Ended {
  readonly payment: StoredPayment
  readonly outcome: Included | Lost
}

/** How long a payment is known before it is read again, in milliseconds. */
const KNOWN_FOR = 10_000

/**
 * Nodes refuse a payment so many times in a row, in words that its family does not know, before an operator is told. The
 * words stay with the node: they can hold keys.
 */
const REFUSALS = 5

/**
 * Milliseconds until a payment that was refused so often in a row is sent again. A look of some families asks every
 * endpoint, and there may be one with each block: one payment could use up the budget of all other reads.
 */
const restAfter = (refusals: number): number => Math.min(60_000, 10_000 * 2 ** Math.max(0, refusals - REFUSALS))

const isRefusal = ({ kind }: ChainUnavailable): boolean => kind === "refused"

/** What a request shows of a payment that its chain has taken: it is delayed once it had to be replaced. */
const shownOf = ({ variants }: StoredPayment): Status => variants.length > 1 ? "delayed" : "submitted"

/** Broadcasts the newest variant. One that is refused for its fee stays stored, and may be replaced. */
const send = Effect.fnUntraced(
  function*(chain: Chain, payment: StoredPayment, { shown }: Pick<DuePayment, "shown">) {
    const payments = yield* Payments
    const treasury = yield* Treasury
    const said = yield* treasury.broadcast(chain, payment.variants.at(-1) ?? payment).pipe(
      Effect.catchIf(isRefusal, () => Effect.succeed("refused" as const))
    )
    if (said !== "accepted" || payment.state !== "signed") return said
    const at = yield* Clock.currentTimeMillis
    yield* payments.recordSent(payment, shown === undefined ? undefined : { request: shown, to: shownOf(payment), at })
    return said
  }
)

/** A payment as it was read last, and when: it is read again when that is long ago, or when it was `forgotten`. */
const makeKnown = Effect.fnUntraced(function*(signed: StoredPayment) {
  const payments = yield* Payments
  let known = signed
  let readAt: number | undefined = yield* Clock.currentTimeMillis
  const reread = Effect.gen(function*() {
    readAt = yield* Clock.currentTimeMillis
    known = (yield* payments.find(signed.orderId, signed.leg)) ?? signed
    return known
  })
  return {
    reread,
    current: Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => readAt === undefined || now - readAt >= KNOWN_FOR ? reread : Effect.succeed(known)
    ),
    noteSent: () => {
      if (known.state === "signed") known = { ...known, state: "sent" }
    },
    forget: () => {
      readAt = undefined
    }
  }
})

/** Reports an alarm once, however often the payment is checked. */
const makeAlarmOnce = () => {
  const told = new Set<Alarm>()
  return Effect.fnUntraced(function*(what: Alarm, message: string) {
    if (told.has(what)) return
    told.add(what)
    yield* countStuck(what)
    yield* Effect.logError(message)
  })
}

/**
 * A payment as it was found. `isNew`: signed a moment ago, in a transaction that has read that its chain is not halted.
 */
export interface SignedNow {
  readonly payment: StoredPayment
  readonly isNew: boolean
}

/** SECURITY: whoever records an outcome asks whether the chain is halted where it is recorded (`recordOutcome`). */
export const waitUntilIncluded = <R>(
  due: DuePayment<R>,
  { isNew, payment: signed }: SignedNow,
  enough: (outcome: Included) => boolean
) =>
  Effect.gen(function*() {
    const { chain } = due.payment
    const treasury = yield* Treasury
    const known = yield* makeKnown(signed)
    const alarm = makeAlarmOnce()
    let lastIncluded = 0
    let isUntouched = isNew
    let refusals = 0
    let mayResendAt = 0
    let shown: Status | undefined
    const showOnce = Effect.fnUntraced(function*(to: Status) {
      if (to !== shown) yield* showStatus(due, to)
      shown = to
    })
    const replace = Effect.fnUntraced(function*(payment: StoredPayment, said: "accepted" | "underpriced" | "unfunded") {
      if (said === "unfunded") {
        yield* alarm("treasury-empty", `the treasury on ${chain.slug} cannot cover the cost of a payment in flight`)
      }
      const replaced = yield* replaceWhenStuck(chain, payment, lastIncluded, due.isBorne)
      if (replaced === "exhausted") {
        yield* alarm(
          "payment-stuck",
          `a payment on ${chain.slug} is not included in a block, and its fee is at the limit (${payment.transactionId})`
        )
      }
      if (replaced === "unfunded") {
        yield* alarm("treasury-empty", `the treasury on ${chain.slug} lacks the gas to replace a payment that is stuck`)
      }
      return replaced
    })
    const sendNow = Effect.fnUntraced(function*(payment: StoredPayment) {
      // One that is in a block all the same is looked at as often as any.
      if ((yield* Clock.currentTimeMillis) < mayResendAt) return "refused"
      const said = yield* send(chain, payment, due)
      if (said === "accepted") {
        // Shown where it was recorded.
        if (payment.state === "signed") shown = shownOf(payment)
        known.noteSent()
      } else if (said === "unauthorized") known.forget()
      // It is not stuck for as long as no node had it.
      if (said === "accepted" && refusals > 0) lastIncluded = yield* Clock.currentTimeMillis
      refusals = said === "refused" ? refusals + 1 : 0
      mayResendAt = refusals === 0 ? 0 : (yield* Clock.currentTimeMillis) + restAfter(refusals)
      if (refusals >= REFUSALS) {
        yield* alarm(
          "payment-refused",
          `nodes of ${chain.slug} have refused a payment ${REFUSALS} times, for a reason that this service does not know (${payment.transactionId}): send its bytes to a node by hand to see why`
        )
      }
      return said
    })
    /** How it ended, or what was done for it. */
    const look = Effect.fnUntraced(function*(by: ReadBy) {
      yield* whileHalted(due, [chain.id])
      // SECURITY: on a halted chain nothing is broadcast, and nothing counts as lost. Asked before the first of these,
      // once a look.
      const runs = yield* Effect.cached(Effect.map(isHalted([chain.id]), (halted) => !halted))
      const payment = yield* known.current
      const isUnsent = payment.state === "signed"
      const maySend = isUntouched || !isUnsent || (yield* runs)
      isUntouched = false
      if (!maySend) return whenMoved
      const said = isUnsent ? yield* sendNow(payment) : "accepted"
      if (said === "unauthorized") {
        yield* replaceUnauthorized(chain, payment)
        return whenMoved
      }
      // Also after a crash between recording and showing: success comes only after this.
      if (said !== "refused" || refusals >= REFUSALS) {
        yield* showOnce(said === "accepted" ? shownOf(payment) : "delayed")
      }
      const outcome = yield* treasury.outcome(chain, payment.variants, by)
      if (outcome._tag === "Superseded" || outcome._tag === "Expired") {
        if (!(yield* runs)) return whenMoved
        // What took the sequence may be a variant that another process has signed, or it has signed another payment.
        const now = yield* known.reread
        return sameForms(now, payment)
          ? found<Ended>({ payment: now, outcome: outcome._tag })
          : whenMoved
      }
      if (outcome._tag === "Included") {
        if (enough(outcome)) return found<Ended>({ payment, outcome })
        lastIncluded = yield* Clock.currentTimeMillis
        return whenFinal(outcome.block.height)
      }
      const isAgain = outcome._tag === "Unseen" && !isUnsent
      if (isAgain && !(yield* runs)) return whenMoved
      const saidAgain = isAgain ? yield* sendNow(payment) : said
      if (saidAgain === "unauthorized") {
        yield* replaceUnauthorized(chain, payment)
        return whenMoved
      }
      // Nobody knows that a higher fee would help.
      if (saidAgain === "refused") return after(Duration.millis(restAfter(refusals)))
      if ((yield* replace(payment, saidAgain)) !== "replaced") return whenMoved
      // A new variant is broadcast at once.
      known.forget()
      return again
    })
    return yield* lookUntil(chain, look)
  })
