/**
 * What quoting asks of prices, chains and holdings, at one moment: what is in memory and fresh, else the port. An effect
 * from here is for its moment. It must not be kept or repeated, because what was known is in it.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Context from "effect/Context"
import { Gas } from "../../../../ports/chain/Gas.ts"
import type { Holding as Place, Payment } from "../../../../ports/chain/PaymentKinds.ts"
import { StepBuilder } from "../../../../ports/chain/StepBuilder.ts"
import type { DepositIntent } from "../../../../ports/chain/StepBuilder.ts"
import type { Treasury } from "../../../../ports/chain/Treasury.ts"
import { Prices } from "../../../../ports/market/Prices.ts"
import type { InventoryReservations } from "../../../../ports/store/orders/InventoryReservations.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import type { Currency } from "../../../domain/money/Currency.ts"
import { claimsOnHolding } from "../../operations/ClaimsOnHolding.ts"
import { knownCosts, knownDeposits, knownOpenings, knownPrices } from "./KnownFacts.ts"
import { RecentHoldings } from "./RecentHoldings.ts"

/** What prices and gas are asked from. */
export interface MarketAt {
  readonly prices: Prices["Service"]
  readonly gas: Gas["Service"]
  /** Milliseconds. */
  readonly now: number
}

export interface Facts extends MarketAt {
  readonly steps: StepBuilder["Service"]
  readonly holdings: typeof RecentHoldings.Service
  readonly inventory: Context.Context<InventoryReservations | Treasury>
}

export const priceNow = ({ now, prices }: MarketAt, currency: Currency) =>
  knownPrices.of(prices, currency, now) ?? prices.priceOf(currency)

export const costNow = ({ gas, now }: MarketAt, payment: Payment) =>
  knownCosts.of(gas, payment, now) ?? gas.ofPayment(payment)

export const openingNow = ({ gas, now }: MarketAt, payment: Payment) =>
  knownOpenings.of(gas, payment, now) ?? gas.opening(payment)

export const depositNow = ({ now, steps }: Facts, intent: DepositIntent) =>
  knownDeposits.of(steps, intent, now) ?? steps.prepare(intent)

export const claimsNow = ({ holdings, inventory, now }: Facts, chain: Chain, currency: Currency, place: Place) => {
  const key = `${chain.id} ${currency.address} ${place}`
  return holdings.known(key, now) ??
    holdings(key, Effect.provideContext(claimsOnHolding(chain, currency, place), inventory))
}

/** Now, from the ports around. */
export const marketNow = Effect.gen(function*() {
  const [prices, gas] = [yield* Prices, yield* Gas]
  return { prices, gas, now: yield* Clock.currentTimeMillis } satisfies MarketAt
})

/** From the ports around, for any moment. */
export const makeFacts = Effect.gen(function*() {
  const [prices, gas, steps, holdings] = [yield* Prices, yield* Gas, yield* StepBuilder, yield* RecentHoldings]
  const inventory = yield* Effect.context<InventoryReservations | Treasury>()
  return (now: number): Facts => ({ prices, gas, steps, holdings, inventory, now })
})
