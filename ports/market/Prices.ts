/** The current value of one whole unit of a currency in US dollars. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Currency, PricedCurrency } from "../../src/domain/money/Currency.ts"

/** No usable price: the currency is unknown, or the sources are stale or disagree. */
export class PriceUnavailable extends Schema.TaggedError<PriceUnavailable>()("PriceUnavailable", {
  symbol: Schema.String
}) {
  override get message(): string {
    return `no usable price for ${this.symbol} now; try again`
  }
}

/** Dollars for one whole unit of a currency. Errors: no price that can be used (`PriceUnavailable`). */
export class Prices extends Context.Service<Prices, {
  readonly priceOf: (currency: Currency) => Effect.Effect<PricedCurrency, PriceUnavailable>
}>()("causeway/ports/Prices") {}
