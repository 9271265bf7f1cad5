/**
 * `Gas` with a cache for plain payments. Payments with calls or a swap, sweeps, permits and payments with authorizations are
 * tried each time, because calls may behave differently in each block. Refusals and the cost of opening an account are
 * never cached: the first fill to an account changes it. Whether a recipient has code is: the fill asks again.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Gas } from "../../../../ports/chain/Gas.ts"
import type { Opening } from "../../../../ports/chain/Gas.ts"
import { callsIn, callsRecipient, holdingOf, swapIn, topupIn } from "../../../../ports/chain/PaymentKinds.ts"
import type { Payment } from "../../../../ports/chain/PaymentKinds.ts"
import { makeTtlCache } from "../../polling/TtlCache.ts"
import { knownCosts, knownOpenings } from "./KnownFacts.ts"

/** The approximate number of recipients. */
const CAPACITY = 10_000

/**
 * True for native currency of a known amount: the code of its recipient may take more now than a moment ago. Quotes ask
 * with one unit.
 */
const runsCodeNow = ({ amount, currency }: Payment): boolean => currency.isNative && amount > 1n

/** True for payments whose cost may change with the next block. */
const isTried = (payment: Payment): boolean => {
  switch (payment._tag) {
    case "Sweep":
    case "Permit":
    case "Submission":
      return true
    case "Fill":
    case "Fallback":
      return callsIn(payment) !== undefined || swapIn(payment) !== undefined || payment.authorizations.length > 0 ||
        runsCodeNow(payment)
    case "Refund":
    case "Excess":
    case "Payout":
      return runsCodeNow(payment)
  }
}

/**
 * What tells one plain payment from another. Quotes ask with one amount. A payment that is due asks with its own, and
 * gets no answer for another: the code of its recipient may take more gas for one amount than for another.
 */
const keyOf = (payment: Payment): string => {
  const { amount, chain, currency, recipient } = payment
  const holding = `${holdingOf(payment)}${topupIn(payment) === 0n ? "" : " topup"}`
  return `${chain.id} ${currency.address} ${recipient} ${amount} ${holding}`
}

/** What tells one recipient's code from another's. */
const codeKeyOf = ({ chain, recipient }: Payment): string => `${chain.id} ${recipient}`

/** True where the answer is whether the recipient has code, which a payment's own authorizations can change. */
const isKept = (payment: Payment): boolean =>
  callsRecipient(payment) &&
  !((payment._tag === "Fill" || payment._tag === "Fallback") && payment.authorizations.length > 0)

/** `maxAge` in milliseconds. */
export const layer = (maxAge: number) =>
  Layer.effect(
    Gas,
    Effect.gen(function*() {
      const gas = yield* Gas
      const recent = makeTtlCache<bigint>({ maxAge, capacity: CAPACITY })
      const openings = makeTtlCache<Opening>({ maxAge, capacity: CAPACITY })
      const service = Gas.of({
        ofSweep: (chain, currency) => recent(`${chain.id} ${currency.address} sweep`, gas.ofSweep(chain, currency)),
        ofPermit: (chain, kind, overhead) =>
          recent(`${chain.id} permit ${kind} ${overhead}`, gas.ofPermit(chain, kind, overhead)),
        opening: (payment) =>
          isKept(payment) ? openings(codeKeyOf(payment), gas.opening(payment)) : gas.opening(payment),
        unitsOf: gas.unitsOf,
        mostOfCalls: gas.mostOfCalls,
        ofPayment: (payment) =>
          isTried(payment) ? gas.ofPayment(payment) : recent(keyOf(payment), gas.ofPayment(payment))
      })
      knownOpenings.offer(
        service,
        (payment, now) => isKept(payment) ? openings.known(codeKeyOf(payment), now) : undefined
      )
      return knownCosts.offer(
        service,
        (payment, now) => isTried(payment) ? undefined : recent.known(keyOf(payment), now)
      )
    })
  )
