/**
 * Looks at what an address holds and queues the sweeps of it (ADDRESS-4): each balance once, those alone that are worth
 * twice their gas. Whoever looks, the worker now and then or somebody by a reindex, it is this.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import type { KeptAddress } from "../../../ports/store/orders/DepositAddresses.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import { Prices } from "../../../ports/market/Prices.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { isDust, planReindex } from "../../domain/deposit-address/reindex/PlanReindex.ts"
import type { CurrencyFacts, Reading } from "../../domain/deposit-address/reindex/PlanReindex.ts"
import { sweepId } from "../../domain/deposit-address/SweepId.ts"
import { usdFloor } from "../../domain/money/Currency.ts"
import type { Currency } from "../../domain/money/Currency.ts"
import { Usd } from "../../domain/money/Usd.ts"
import { sweepPayment } from "./SweepPayment.ts"

/** Nothing of an unread or empty balance has to be known. */
const isEmpty = (reading: Reading): boolean => reading._tag === "Unread" || reading.units === 0n

/** What sweeping costs now. What the chain refuses costs nothing: the sweep itself finds out why. */
const sweepGas = Effect.fnUntraced(function*(chain: Chain, kept: KeptAddress, currency: Currency) {
  const gas = yield* Gas
  const prices = yield* Prices
  const place = { chainId: chain.id, address: kept.address, currency: currency.address, number: 0 }
  const payment = sweepPayment(chain, sweepId(place), { ...kept, currency: currency.address, depositId: kept.orderId })
  if (payment === undefined) return Usd(0n)
  const [units, native] = yield* Effect.all([gas.ofPayment(payment), prices.priceOf(chain.native)], {
    concurrency: "unbounded"
  })
  return usdFloor(units, native)
}, Effect.catchTag("PaymentRefused", () => Effect.succeed(Usd(0n))))

const factsOf = Effect.fnUntraced(function*(chain: Chain, kept: KeptAddress, currency: Currency, reading: Reading) {
  const sweeps = yield* Sweeps
  const prices = yield* Prices
  const of = (yield* sweeps.of(chain.id, kept.address)).find((each) => each.currency === currency.address)
  const known = {
    currency,
    reading,
    sweeps: { queued: of?.queued === true ? "one" : "none", completed: of?.completed ?? 0, lastHeight: of?.lastHeight }
  } as const
  if (isEmpty(reading) || known.sweeps.queued === "one") {
    return { ...known, sweepGas: Usd(0n), price: undefined } satisfies CurrencyFacts
  }
  const worth = Effect.gen(function*() {
    const { price } = yield* prices.priceOf(currency)
    return { price, sweepGas: yield* sweepGas(chain, kept, currency) }
  })
  // Without a price, its own or that of its gas, nobody can say whether it is worth its sweep, and it waits.
  const unpriced = { price: undefined, sweepGas: Usd(0n) }
  return {
    ...known,
    ...yield* Effect.catchTag(worth, "PriceUnavailable", () => Effect.succeed(unpriced))
  } satisfies CurrencyFacts
})

/** True of what was read and is dust; what cannot be priced is none. */
export const isDustOf = (kept: KeptAddress, chain: Chain, { currency, reading }: ReadBalance) =>
  Effect.map(factsOf(chain, kept, currency, reading), isDust)

/** A balance as it was read. */
export interface ReadBalance {
  readonly currency: Currency
  readonly reading: Reading
}

/** What the address has of each; all of it unread when the chain does not answer. */
export const readBalances = Effect.fnUntraced(
  function*({ address }: KeptAddress, chain: Chain, currencies: ReadonlyArray<Currency>) {
    const balances = yield* AddressBalances
    const readings = yield* balances.read(chain, address, currencies).pipe(
      Effect.catchTag("ChainUnavailable", () => Effect.succeed([]))
    )
    return currencies.map((currency, index): ReadBalance => ({
      currency,
      reading: readings[index] ?? { _tag: "Unread" }
    }))
  }
)

/** The plan that was carried out; ReindexRefused (503) when no balance could be read. */
export const queueSweeps = Effect.fnUntraced(
  function*(kept: KeptAddress, chain: Chain, balances: ReadonlyArray<ReadBalance>) {
    const sweeps = yield* Sweeps
    const facts = yield* Effect.forEach(balances, ({ currency, reading }) => factsOf(chain, kept, currency, reading), {
      concurrency: 8
    })
    const plan = yield* Effect.fromResult(planReindex(facts))
    for (const { currency, number, units } of plan.queue) {
      const place = { chainId: chain.id, address: kept.address, currency: currency.address, number }
      const now = yield* Clock.currentTimeMillis
      const queued = yield* sweeps.queue({
        ...place,
        id: sweepId(place),
        orderId: kept.orderId,
        depositor: kept.depositor,
        units,
        queuedAt: now
      })
      if (queued) {
        yield* Effect.logInfo(`${units} of ${currency.symbol} lie at a deposit address on ${chain.slug} and are swept`)
      }
    }
    return plan
  }
)
