/**
 * Reports holdings below their low-water mark: in the metrics, and once in the log. It reads nothing itself
 * (`Inventory`).
 */
import * as Effect from "effect/Effect"
import { crossings, isLow } from "../../domain/market/LowWater.ts"
import type { Reading } from "../../domain/market/LowWater.ts"
import { formatDecimal } from "../../domain/money/Decimal.ts"
import type { Held } from "../quoting/market/Holdings.ts"
import { countStuck, noteLow } from "./Meters.ts"
import { Policy } from "./Policy.ts"

interface MarkedReading extends Reading {
  readonly held: Held
}

const nameOf = ({ chain, currency, holding }: Held): string =>
  `${currency.symbol} of the solver's ${holding} on ${chain.slug}`

/** The holding and its mark: "0.5 is there, the mark is 1". */
const amountsOf = ({ amount, held: { currency: { decimals } }, mark }: MarkedReading): string =>
  `${formatDecimal(amount, decimals, 1)} is there, the mark is ${formatDecimal(mark, decimals, 1)}`

/** Checks one set of readings. It remembers which holdings were low before. */
export const makeLowWaterGuard = () => {
  let low: ReadonlySet<string> = new Set()
  return Effect.fnUntraced(function*(all: ReadonlyArray<Held>) {
    const { lowWaterOf } = yield* Policy
    const readings = all.flatMap((held): ReadonlyArray<MarkedReading> => {
      const mark = lowWaterOf(held.currency, held.holding)
      return mark === undefined ? [] : [{ held, holding: nameOf(held), amount: held.amount, mark }]
    })
    for (const { amount, held: { chain, currency, holding }, mark } of readings) {
      yield* noteLow({ chain: chain.slug, currency: currency.symbol, holding }, isLow({ amount, mark }))
    }
    const crossed = crossings(low, readings)
    for (const fallen of crossed.fallen) {
      yield* countStuck("inventory-low")
      yield* Effect.logError(`${fallen.holding} is low: ${amountsOf(fallen)}`)
    }
    for (const risen of crossed.risen) {
      yield* Effect.logInfo(`${risen.holding} is above its mark again: ${amountsOf(risen)}`)
    }
    low = crossed.low
  })
}
