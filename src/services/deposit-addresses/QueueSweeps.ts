/**
 * Reads the balances of an address and queues their sweeps (ADDRESS-4): each balance once, and only those worth twice
 * their gas. Used by the worker and by reindexes.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import type { BalanceSource } from "../../../ports/chain/AddressBalances.ts"
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
import { paidTo } from "./LeftBySweeps.ts"
import { sweepPayment } from "./SweepPayment.ts"

/** Nothing else is looked up for an unread or empty balance. */
const isEmpty = (reading: Reading): boolean => reading._tag === "Unread" || reading.units === 0n

/**
 * What a balance must be worth twice: the current cost of its sweep, and no less than what its refund would be charged
 * for one (`priceRefund`). A further sweep of an address can cost less than the first, and a balance that is worth twice
 * the one and not the other would be swept and then not be worth its refund. A sweep that the chain refuses has cost
 * zero here: the sweep itself finds the reason.
 */
const sweepGas = Effect.fnUntraced(function*(chain: Chain, kept: KeptAddress, currency: Currency) {
  const gas = yield* Gas
  const prices = yield* Prices
  const place = { chainId: chain.id, address: kept.address, currency: currency.address, number: 0 }
  const payment = sweepPayment(chain, sweepId(place), { ...kept, currency: currency.address, depositId: kept.orderId })
  if (payment === undefined) return Usd(0n)
  const [now, charged, native] = yield* Effect.all([
    gas.ofPayment(payment),
    gas.ofSweep(chain, currency),
    prices.priceOf(chain.native)
  ], { concurrency: "unbounded" })
  return usdFloor(now > charged ? now : charged, native)
}, Effect.catchTag("PaymentRefused", () => Effect.succeed(Usd(0n))))

const factsOf = Effect.fnUntraced(function*(chain: Chain, kept: KeptAddress, currency: Currency, reading: Reading) {
  const sweeps = yield* Sweeps
  const prices = yield* Prices
  const of = (yield* sweeps.of(chain.id, kept.address)).find((each) => each.currency === currency.address)
  const known = {
    currency,
    reading,
    sweeps: {
      queued: of?.queued === true ? "one" : "none",
      unfinal: of?.unfinal === true ? "some" : "none",
      completed: of?.completed ?? 0,
      lastHeight: of?.lastHeight
    }
  } as const
  if (isEmpty(reading) || known.sweeps.queued === "one") {
    return { ...known, sweepGas: Usd(0n), price: undefined } satisfies CurrencyFacts
  }
  const worth = Effect.gen(function*() {
    const { price } = yield* prices.priceOf(currency)
    return { price, sweepGas: yield* sweepGas(chain, kept, currency) }
  })
  // Without a price of the currency or of gas, nobody can say whether the balance is worth its sweep, so it waits.
  const unpriced = { price: undefined, sweepGas: Usd(0n) }
  return {
    ...known,
    ...yield* Effect.catchTag(worth, "PriceUnavailable", () => Effect.succeed(unpriced))
  } satisfies CurrencyFacts
})

/** True for a balance that was read and is dust. A balance without a price is not dust. */
export const isDustOf = (kept: KeptAddress, chain: Chain, { currency, reading }: ReadBalance) =>
  Effect.map(factsOf(chain, kept, currency, reading), isDust)

/** A balance as read. */
export interface ReadBalance {
  readonly currency: Currency
  readonly reading: Reading
}

const unread: Reading = { _tag: "Unread" }

/** What was paid to the address and lies there. All are unread when the chain does not answer. */
export const readBalances = Effect.fnUntraced(
  function*({ address }: KeptAddress, chain: Chain, currencies: ReadonlyArray<Currency>, from?: BalanceSource) {
    const balances = yield* AddressBalances
    const readings = yield* balances.read(chain, address, currencies, from).pipe(
      Effect.catchTag("ChainUnavailable", () => Effect.succeed([]))
    )
    return yield* Effect.forEach(currencies, (currency, index) =>
      Effect.map(
        paidTo(chain, address, currency, readings[index] ?? unread),
        (reading): ReadBalance => ({ currency, reading })
      ))
  }
)

/** The executed plan. ReindexRefused (503) when no balance could be read. */
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
