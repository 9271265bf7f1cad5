/** An amount: smallest units together with the currency they are units of. Two currencies never meet by accident. */
import * as Schema from "effect/Schema"
import { Currency } from "./Currency.ts"
import { formatDecimal } from "./Decimal.ts"

export const Amount = Schema.Struct({
  currency: Currency,
  units: Schema.BigIntFromString
})
export type Amount = typeof Amount.Type

export const amount = (currency: Currency, units: bigint): Amount => ({ currency, units })

/** Whole units as decimal text that always has a fraction: "100.0", "0.0000066" (WIRE-2). */
export const formatAmount = ({ currency, units }: Amount): string => formatDecimal(units, currency.decimals, 1)
