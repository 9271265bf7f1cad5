/**
 * Pays what is due: signed, then stored, then broadcast, and looked after until its block is enough.
 *
 * Signing and storing are one transaction, and what is broadcast is what was stored, so a crash between any two steps
 * ends in the same bytes being sent again. A payment never gets a second one, except when the first can never be
 * carried out: its sequence was used by another transaction in a final block, or it expired.
 */
import * as Effect from "effect/Effect"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import { countStuck } from "../../operations/Meters.ts"
import type { DuePayment } from "../DuePayment.ts"
import { waitUntilIncluded } from "../guard/WaitUntilIncluded.ts"
import type { Included, Lost } from "../guard/WaitUntilIncluded.ts"
import type { Payout } from "../Payout.ts"
import { signPayment } from "./SignPayment.ts"

/** Only a sequence that somebody else has used is an alarm: the account's key is in other hands, or in two services. */
const tellLost = Effect.fnUntraced(function*({ slug }: Chain, lost: Lost) {
  if (lost === "Expired") {
    return yield* Effect.logInfo(`a payment on ${slug} expired before a block took it; it is signed anew`)
  }
  yield* countStuck("sequence-used-by-another")
  yield* Effect.logError(`a payment on ${slug} lost its sequence to a transaction that is not ours; it is signed anew`)
})

/**
 * Waits for a block that is `enough`. May run any number of times, before and after a crash: a payment that exists is
 * never signed again, except for the same sequence.
 */
export const payUntil = <R = never>(due: DuePayment<R>, enough: (outcome: Included) => boolean) =>
  Effect.gen(function*() {
    const payments = yield* Payments
    const { payment: { chain, orderId }, purpose } = due
    while (true) {
      const signed = yield* signPayment(due)
      if (typeof signed === "string") return { _tag: "Unpaid", why: signed } satisfies Payout
      const { outcome, payment } = yield* waitUntilIncluded(due, signed, enough)
      if (typeof outcome === "string") {
        // A store that was restored may have forgotten what was signed in its place.
        yield* payments.refuseHeld(chain)
        yield* tellLost(chain, outcome)
        yield* payments.setAside(payment)
        continue
      }
      const { block, gasPaid, rentPaid, succeeded, transactionId } = outcome
      yield* payments.recordOutcome(orderId, purpose, {
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

/**
 * Success is believed in any block, being guarded afterwards; a revert only in a final one, because a refund follows
 * from it.
 */
const settles = ({ final, succeeded }: Included): boolean => succeeded || final

/** Returns as soon as the payment is in a block, or cannot be. */
export const pay = <R = never>(due: DuePayment<R>) => payUntil(due, settles)
