/** Looks at the solver's inventory and says when a holding falls below its low-water mark: in the metrics, and once in the log. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Chains } from "../../ports/Chains.ts"
import { Treasury } from "../../ports/Treasury.ts"
import type { Holding } from "../../ports/Treasury.ts"
import type { Chain } from "../domain/chain/Chain.ts"
import { crossings, isLow } from "../domain/market/LowWater.ts"
import type { Currency } from "../domain/money/Currency.ts"
import { formatDecimal } from "../domain/money/Decimal.ts"
import { countStuck, noteLow } from "./Meters.ts"
import { Policy } from "./Policy.ts"

const EVERY = Duration.seconds(15)

interface Marked {
  readonly chain: Chain
  readonly currency: Currency
  readonly of: Holding
  readonly mark: bigint
}

const nameOf = ({ chain, currency, of }: Marked): string => `${currency.symbol} of the solver's ${of} on ${chain.slug}`

/** Every holding that has a mark. */
const markedOf = (chains: ReadonlyArray<Chain>, lowWaterOf: Policy["Service"]["lowWaterOf"]): ReadonlyArray<Marked> =>
  chains.flatMap((chain) => chain.currencies.flatMap((currency) => (["account", "vault"] as const).flatMap((of) => {
    const mark = lowWaterOf(currency, of)
    return mark === undefined || (of === "vault" && chain.vault === undefined) ? [] : [{ chain, currency, of, mark }]
  })))

export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const chains = yield* Chains
  const treasury = yield* Treasury
  const { lowWaterOf } = yield* Policy
  const marked = markedOf(chains.all, lowWaterOf)
  let low: ReadonlySet<string> = new Set()

  /** Undefined when the chain does not answer: that has alarms of its own. */
  const read = (each: Marked) =>
    treasury.inventory(each.chain, each.currency, each.of).pipe(
      Effect.map((amount) => ({ holding: nameOf(each), amount, mark: each.mark, marked: each })),
      Effect.orElseSucceed(() => undefined)
    )

  const look = Effect.gen(function*() {
    const readings = (yield* Effect.forEach(marked, read, { concurrency: "unbounded" })).filter((each) => each !== undefined)
    for (const reading of readings) {
      const { chain, currency, of } = reading.marked
      yield* noteLow({ chain: chain.slug, currency: currency.symbol, holding: of }, isLow(reading))
    }
    const crossed = crossings(low, readings)
    const text = (units: bigint, holding: string) => {
      const decimals = readings.find((each) => each.holding === holding)?.marked.currency.decimals ?? 0
      return formatDecimal(units, decimals, 1)
    }
    for (const { amount, holding, mark } of crossed.fallen) {
      yield* countStuck("inventory-low")
      yield* Effect.logError(`${holding} is low: ${text(amount, holding)} is there, the mark is ${text(mark, holding)}`)
    }
    for (const { amount, holding } of crossed.risen) yield* Effect.logInfo(`${holding} is above its mark again: ${text(amount, holding)}`)
    low = crossed.low
  })

  if (marked.length > 0) yield* look.pipe(Effect.andThen(Effect.sleep(EVERY)), Effect.forever, Effect.forkScoped)
}))
