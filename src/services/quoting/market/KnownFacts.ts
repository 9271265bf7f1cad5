/**
 * Facts that are in memory and fresh, beside the ports that have them: what a port would answer at a moment without
 * asking anybody. A quote whose facts are all known takes no step of Effect for them. A port that is replaced knows
 * nothing, until it says so itself.
 */
import type * as Effect from "effect/Effect"
import type { Gas, Opening } from "../../../../ports/chain/Gas.ts"
import type { Payment } from "../../../../ports/chain/PaymentKinds.ts"
import type { DepositIntent, PreparedDeposit, StepBuilder } from "../../../../ports/chain/StepBuilder.ts"
import type { Prices } from "../../../../ports/market/Prices.ts"
import type { Currency, PricedCurrency } from "../../../domain/money/Currency.ts"

/** `now` in milliseconds. Undefined: the port has to be asked. */
type Peek<Asked, Answer> = (asked: Asked, now: number) => Effect.Effect<Answer> | undefined

/** What the services of a port know. */
const makeKnown = <Service extends object, Asked, Answer>() => {
  const peeks = new WeakMap<Service, Peek<Asked, Answer>>()
  return {
    /** From now on `of` finds what the service knows. */
    offer: <Offering extends Service>(service: Offering, peek: Peek<Asked, Answer>): Offering => {
      peeks.set(service, peek)
      return service
    },
    of: (service: Service, asked: Asked, now: number): Effect.Effect<Answer> | undefined =>
      peeks.get(service)?.(asked, now)
  }
}

/** Answers of `priceOf`. */
export const knownPrices = makeKnown<Prices["Service"], Currency, PricedCurrency>()

/** Answers of `ofPayment`. */
export const knownCosts = makeKnown<Gas["Service"], Payment, bigint>()

/** Answers of `opening`. */
export const knownOpenings = makeKnown<Gas["Service"], Payment, Opening>()

/** Answers of `prepare`. */
export const knownDeposits = makeKnown<StepBuilder["Service"], DepositIntent, PreparedDeposit>()
