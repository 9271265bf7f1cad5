/**
 * The prices of a simulated world: two sources for each currency, as in production, and the service's own rule of what
 * to believe. They agree, unless a fault says otherwise.
 */
import { Clock, Effect, Layer } from "effect"
import { PriceSources } from "../../../ports/market/PriceSources.ts"
import type { Prices } from "../../../ports/market/Prices.ts"
import { UsdPrice } from "../../../src/domain/money/Usd.ts"
import * as AgreedPrices from "../../../src/services/quoting/market/AgreedPrices.ts"
import type { Dice } from "../Dice.ts"
import type { Faults } from "../Faults.ts"
import { bitcoin, dollars, halfMicros } from "../Terms.ts"
import { makeSpell } from "./Spell.ts"

/** Beyond this age a price is stale, seconds. */
const FRESH_SECONDS = 60
/** A price that jumps is at most so far from where it began, basis points. */
export const JUMP_BPS = 300n
/** How long an agreed price is used again, milliseconds. */
const MAX_AGE_MS = 1_000
/** Half a micro-dollar, as a price: of which one smallest unit is worth some. */
const HALF_MICRO = 5n * 10n ** 29n
/** Smallest units of a whole one. */
const unitsOf = (currency: string): bigint => 10n ** (currency === bitcoin ? 8n : 6n)

export interface WorldPrices {
  readonly layer: Layer.Layer<Prices>
}

/** `tell`: writes into the history of the run. */
export const makePrices = (faults: Faults, dice: Dice, tell: (event: string) => void): WorldPrices => {
  const spell = (fault: "price-silent" | "price-stale" | "price-apart", says: string) =>
    makeSpell(faults, dice, tell, { fault, probability: 0.02, lasts: [5_000, 60_000], says: `prices: ${says}` })
  const isSilent = spell("price-silent", "one source has none")
  const isStale = spell("price-stale", "one source shows old ones")
  const isApart = spell("price-apart", "the sources contradict each other")
  let moved = 0n
  const priceOf = (currency: string): bigint => {
    const usual = halfMicros(currency) * unitsOf(currency) * HALF_MICRO
    if (faults.strikes("price-jumps", 0.02)) {
      moved = BigInt(dice.between(-Number(JUMP_BPS), Number(JUMP_BPS)))
      tell(`prices: the native coins stand ${moved} basis points from where they began`)
    }
    // Dollars stay dollars.
    return dollars.has(currency) ? usual : usual * (10_000n + moved) / 10_000n
  }
  const source = (nth: number): PriceSources["Service"]["all"][number] => ({
    name: `source ${nth}`,
    observe: ({ address }) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const isFaulty = nth === 1
        if (isFaulty && isSilent(now)) return undefined
        const price = priceOf(address)
        return {
          price: UsdPrice(isFaulty && isApart(now) ? price * 110n / 100n : price),
          at: Math.floor(now / 1_000) - (isFaulty && isStale(now) ? FRESH_SECONDS * 2 : 0),
          maxAgeSeconds: FRESH_SECONDS
        }
      })
  })
  return {
    layer: AgreedPrices.layer({ required: 2, maxAge: MAX_AGE_MS }).pipe(
      Layer.provide(Layer.succeed(PriceSources, { all: [source(0), source(1)] }))
    )
  }
}
