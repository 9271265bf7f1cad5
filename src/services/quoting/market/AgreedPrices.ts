/** Prices on which enough fresh sources agree within a tolerance (PRICE-19). Otherwise PRICE_FETCH_FAILED. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { PriceSources } from "../../../../ports/market/PriceSources.ts"
import { Prices, PriceUnavailable } from "../../../../ports/market/Prices.ts"
import { agreeOnPrice } from "../../../domain/market/AgreeOnPrice.ts"
import { Bps } from "../../../domain/money/Bps.ts"
import type { Currency } from "../../../domain/money/Currency.ts"
import type { UsdPrice } from "../../../domain/money/Usd.ts"
import { pairClass, serviceBps } from "../../../domain/quote/pricing/AssetClass.ts"
import { DEFAULT_SPREAD_BPS } from "../../../domain/quote/pricing/PriceRequest.ts"
import { countPriceRefusal } from "../../operations/Meters.ts"
import { makeTtlCache } from "../../polling/TtlCache.ts"
import { knownPrices } from "./KnownFacts.ts"

/** The rule of PRICE-19 for one environment. */
export interface PricesOptions {
  /** How many fresh sources must agree. */
  readonly required: number
  /** How long an agreed price is used again, milliseconds. */
  readonly maxAge: number
}

/** The largest difference between two sources. It must stay below what the pair earns: its fee and its spread. */
const toleranceOf = (currency: Currency): Bps => {
  const dollar: Currency = { ...currency, symbol: "USDC" }
  return Bps(serviceBps(pairClass(currency, dollar)) + DEFAULT_SPREAD_BPS)
}

/** The most currencies whose prices are cached. */
const CAPACITY = 1_000

export const layer = ({ maxAge, required }: PricesOptions) =>
  Layer.effect(
    Prices,
    Effect.gen(function*() {
      const sources = yield* PriceSources
      const recent = makeTtlCache<UsdPrice>({ maxAge, capacity: CAPACITY })
      const keyOf = ({ address, chainId }: Currency) => `${chainId} ${address}`
      const agree = Effect.fnUntraced(function*(currency: Currency) {
        const seen = yield* Effect.forEach(sources.all, (source) => source.observe(currency), {
          concurrency: "unbounded"
        })
        const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
        const agreed = agreeOnPrice(seen.filter((one) => one !== undefined), now, {
          required,
          tolerance: toleranceOf(currency)
        })
        if (Result.isSuccess(agreed)) return agreed.success
        yield* countPriceRefusal(currency.symbol, agreed.failure)
        return yield* new PriceUnavailable({ symbol: currency.symbol })
      })
      const service = Prices.of({
        priceOf: (currency) => Effect.map(recent(keyOf(currency), agree(currency)), (price) => ({ currency, price }))
      })
      return knownPrices.offer(service, (currency, now) => {
        const price = recent.known(keyOf(currency), now)
        return price && Effect.mapEager(price, (known) => ({ currency, price: known }))
      })
    })
  )
