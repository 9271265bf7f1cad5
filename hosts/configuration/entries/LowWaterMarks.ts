/** The balances below which operators are warned, from the chains file: for the solver's account and its vault. */
import { Result } from "effect"
import type { Holding } from "../../../ports/chain/PaymentKinds.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { parseDecimal } from "../../../src/domain/money/Decimal.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import type { ChainEntry } from "./ChainsFile.ts"
import { priceKey } from "./ConfiguredPrices.ts"
import { Problem } from "../Variables.ts"

/** Smallest units. Undefined when no low balance is reported. */
export type LowWaterMarks = (currency: Currency, holding: Holding) => bigint | undefined

/** `currencies` of a chain are those of its entry, in its order. Fails with a problem that names the currency. */
export const lowWaterMarks = (
  chains: ReadonlyArray<Chain>,
  entries: ReadonlyArray<ChainEntry>
): Result.Result<LowWaterMarks, Problem> =>
  Result.gen(function*() {
    const marks = new Map<string, bigint>()
    for (const entry of entries) {
      const chain = chains.find(({ slug }) => slug === entry.id)
      for (const [index, { lowWater = {}, symbol }] of (entry.currencies ?? []).entries()) {
        const currency = chain?.currencies[index]
        for (const [holding, text] of Object.entries(lowWater)) {
          if (currency === undefined) continue
          const mark = parseDecimal(text, currency.decimals)
          if (Result.isFailure(mark)) {
            return yield* Result.fail(
              new Problem({
                message: `chain ${entry.id}: lowWater.${holding} of ${symbol} has more decimals than ${symbol}`
              })
            )
          }
          marks.set(`${holding} ${priceKey(currency)}`, mark.success)
        }
      }
    }
    return (currency: Currency, holding: Holding) => marks.get(`${holding} ${priceKey(currency)}`)
  })
