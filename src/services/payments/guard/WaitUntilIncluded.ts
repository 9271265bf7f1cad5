/**
 * Gets a signed payment into a block: rebroadcasts it when the chain forgets it, and replaces it when it is stuck,
 * until a variant is in a block that is `enough`, or none can ever be. The payment is read again each time: another
 * process may have replaced it.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import { Treasury } from "../../../../ports/chain/Treasury.ts"
import type { PaymentOutcome } from "../../../../ports/chain/Treasury.ts"
import type { ReadBy } from "../../../../ports/chain/ReadBy.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import type { Status } from "../../../domain/transfer/Status.ts"
import type { Alarm } from "../../operations/Alarms.ts"
import { countStuck } from "../../operations/Meters.ts"
import { pollInterval } from "../../polling/PollInterval.ts"
import { readByOf } from "../../polling/QuorumTurns.ts"
import { showStatus, whileHalted } from "../DuePayment.ts"
import type { DuePayment } from "../DuePayment.ts"
import { replaceUnauthorized, replaceWhenStuck } from "../replace/ReplaceStuck.ts"

export type Included = Extract<PaymentOutcome, { readonly _tag: "Included" }>

/** Why no variant of a payment can ever be in a block. */
export type Lost = Extract<PaymentOutcome["_tag"], "Expired" | "Superseded">

/** Broadcasts the newest variant. One that is refused for its fee stays stored, and may be replaced. */
const send = Effect.fnUntraced(function*(chain: Chain, payment: StoredPayment) {
  const payments = yield* Payments
  const treasury = yield* Treasury
  const said = yield* treasury.broadcast(chain, payment.variants.at(-1) ?? payment)
  if (said === "accepted" && payment.state === "signed") yield* payments.recordSent(payment)
  return said
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

export const waitUntilIncluded = <R>(
  due: DuePayment<R>,
  signed: StoredPayment,
  enough: (outcome: Included) => boolean
) =>
  Effect.gen(function*() {
    const { chain } = due.payment
    const payments = yield* Payments
    const treasury = yield* Treasury
    const alarm = makeAlarmOnce()
    let lastIncluded = 0
    let shown: Status | undefined
    const showOnce = Effect.fnUntraced(function*(to: Status) {
      if (to !== shown) yield* showStatus(due, to)
      shown = to
    })
    const replace = Effect.fnUntraced(function*(payment: StoredPayment, said: "accepted" | "underpriced" | "unfunded") {
      if (said === "unfunded") {
        yield* alarm("treasury-empty", `the treasury on ${chain.slug} lacks what a payment on its way costs`)
      }
      const replaced = yield* replaceWhenStuck(chain, payment, lastIncluded, due.isBorne)
      if (replaced === "exhausted") {
        yield* alarm(
          "payment-stuck",
          `a payment on ${chain.slug} is not taken into a block and its fee may not rise further (${payment.transactionId})`
        )
      }
      if (replaced === "unfunded") {
        yield* alarm("treasury-empty", `the treasury on ${chain.slug} lacks the gas to replace a payment that is stuck`)
      }
      return replaced
    })
    /** How it ended, or what was done for it. */
    const look = Effect.fnUntraced(function*(by: ReadBy) {
      // On a halted chain nothing is broadcast, and nothing counts as final.
      yield* whileHalted(due, [chain.id])
      const payment = (yield* payments.find(signed.orderId, signed.leg)) ?? signed
      const isUnsent = payment.state === "signed"
      const said = isUnsent ? yield* send(chain, payment) : "accepted"
      if (said === "unauthorized") return yield* replaceUnauthorized(chain, payment)
      // Also after a crash between recording and showing: success comes only after this.
      yield* showOnce(payment.variants.length > 1 || said !== "accepted" ? "delayed" : "submitted")
      const outcome = yield* treasury.outcome(chain, payment.variants, by)
      if (outcome._tag === "Superseded" || outcome._tag === "Expired") {
        return { payment, outcome: outcome._tag satisfies Lost }
      }
      if (outcome._tag === "Included") {
        if (enough(outcome)) return { payment, outcome }
        lastIncluded = yield* Clock.currentTimeMillis
        return "waits"
      }
      const saidAgain = outcome._tag === "Unseen" && !isUnsent ? yield* send(chain, payment) : said
      return saidAgain === "unauthorized"
        ? yield* replaceUnauthorized(chain, payment)
        : yield* replace(payment, saidAgain)
    })
    for (let looks = 0;; looks += 1) {
      const found = yield* look(readByOf(looks))
      if (typeof found === "object") return found
      // A new variant is broadcast at once.
      if (found !== "replaced") yield* Effect.sleep(pollInterval(chain))
    }
  })
