/**
 * Pays a due payment: signed, then stored, then broadcast, and watched until its block is enough.
 *
 * Signing and storing are one transaction, and the stored bytes are broadcast, so a crash between any two steps ends in
 * the same bytes being sent again. A payment is signed a second time only when the first can never be executed: another
 * transaction used its sequence in a final block, or it expired.
 */
import * as Effect from "effect/Effect"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import type { TransactionId } from "../../../domain/chain/TransactionId.ts"
import { countStuck } from "../../operations/Meters.ts"
import { Followers } from "../../following/Followers.ts"
import type { DuePayment } from "../DuePayment.ts"
import { waitUntilIncluded } from "../guard/WaitUntilIncluded.ts"
import type { Included, Lost } from "../guard/WaitUntilIncluded.ts"
import type { Payout, RecordedPayout } from "../Payout.ts"
import { signPayment } from "./SignPayment.ts"

/**
 * Only a sequence that another transaction has used is an alarm: somebody else has the account's key, or two services
 * use it.
 */
const tellLost = Effect.fnUntraced(function*({ slug }: Chain, lost: Lost) {
  if (lost === "Expired") {
    return yield* Effect.logInfo(`a payment on ${slug} expired before it was in a block and is signed again`)
  }
  yield* countStuck("sequence-used-by-another")
  yield* Effect.logError(`a payment on ${slug} lost its sequence to a transaction that is not ours and is signed again`)
})

/** Its token began to keep a part after it was tried. What it delivered is lost: the payment does not count as paid. */
const tellPart = Effect.fnUntraced(function*(
  { payment: { amount, chain, currency, recipient }, purpose }: Pick<DuePayment, "payment" | "purpose">,
  deliveredPart: bigint,
  transactionId: TransactionId
) {
  yield* countStuck("paid-in-part")
  yield* Effect.logError(
    `a payment on ${chain.slug} (${purpose}, ${transactionId}) moved ${deliveredPart} of ${amount} ${currency.symbol} to ${recipient} and counts as not paid: ${currency.symbol} keeps a part of each transfer now, so pause it, and settle the difference by hand`
  )
})

/** A payment as the store has it once this is recorded. */
const recordedAs = (
  payment: StoredPayment,
  { gasPaid, signedAs, transactionId }: Included
): StoredPayment => {
  const variant = payment.variants.find((each) => each.transactionId === (signedAs ?? transactionId))
  return { ...payment, state: "included", transactionId, raw: variant?.raw ?? payment.raw, gasPaid }
}

/**
 * Waits for a block that is `enough`. Can run any number of times, before and after a crash: an existing payment is
 * never signed again, except for the same sequence. `known`: the payment as this process has recorded it a moment ago,
 * which is not read again.
 */
export const payUntil = <R = never>(
  due: DuePayment<R>,
  enough: (outcome: Included) => boolean,
  known?: StoredPayment
) =>
  Effect.gen(function*() {
    const payments = yield* Payments
    const followers = yield* Followers
    const { payment: { chain, orderId }, purpose } = due
    let recorded = known
    while (true) {
      const seen = yield* followers.seen(chain, "waits")
      const signed = recorded === undefined ? yield* signPayment(due) : { payment: recorded, isNew: false }
      recorded = undefined
      if (typeof signed === "string") return { _tag: "Unpaid", why: signed } satisfies Payout
      const { outcome, payment } = yield* waitUntilIncluded(due, signed, enough)
      if (typeof outcome === "string") {
        // A restored store may have forgotten what was signed in its place.
        yield* payments.refuseHeld(chain)
        yield* tellLost(chain, outcome)
        yield* payments.setAside(payment)
        continue
      }
      const { block, deliveredPart, gasPaid, rentPaid, signedAs, succeeded, transactionId } = outcome
      const isRecorded = yield* payments.recordOutcome(orderId, purpose, {
        state: succeeded ? "included" : "reverted",
        transactionId,
        ...(signedAs === undefined ? {} : { signedAs }),
        block,
        gasPaid
      })
      // Its chain was halted meanwhile, and has shown nothing.
      if (!isRecorded) {
        yield* followers.moved(chain, seen)
        continue
      }
      if (deliveredPart !== undefined) yield* tellPart(due, deliveredPart, transactionId)
      const { height } = block
      if (!succeeded) return { _tag: "Reverted", gasPaid, height } satisfies Payout
      return { _tag: "Paid", gasPaid, rentPaid, height, payment: recordedAs(payment, outcome) } satisfies RecordedPayout
    }
  })

/**
 * Success counts in any block, because it is guarded afterwards. A revert counts only in a final block, because a
 * refund follows from it.
 */
const settles = ({ final, succeeded }: Included): boolean => succeeded || final

/** Returns as soon as the payment is in a block, or can never be. */
export const pay = <R = never>(due: DuePayment<R>) => payUntil(due, settles)
