/**
 * The sources of prices. Each reports the price that it has, or that it does not know the currency. A domain rule
 * decides which source to believe.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { PriceObservation } from "../../src/domain/market/AgreeOnPrice.ts"
import type { Currency } from "../../src/domain/money/Currency.ts"

/** One source: an aggregator's contracts, a server, a table. */
export interface PriceSource {
  readonly name: string
  /** Undefined when this source has no price for the currency or cannot be read now; other sources may have one. */
  readonly observe: (currency: Currency) => Effect.Effect<PriceObservation | undefined>
}

/** All sources of prices, each asked by itself. Which price is believed is a rule of the domain. */
export class PriceSources extends Context.Service<PriceSources, {
  /** In order of preference. */
  readonly all: ReadonlyArray<PriceSource>
}>()("causeway/ports/PriceSources") {}
