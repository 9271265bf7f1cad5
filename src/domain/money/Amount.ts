/** An amount: smallest units together with their currency, so two currencies are never mixed by accident. */
import * as Schema from "effect/Schema"
import { Currency } from "./Currency.ts"
import { formatDecimal } from "./Decimal.ts"

/** A number of smallest units of one currency. */
export const Amount = Schema.Struct({
  currency: Currency,
  units: Schema.BigIntFromString
})
export type Amount = typeof Amount.Type

/** This many smallest units of the currency. Nothing is checked. */
export const amount = (currency: Currency, units: bigint): Amount => ({ currency, units })

/** Whole units as decimal text, always with a fraction: "100.0", "0.0000066" (WIRE-2). */
export const formatAmount = ({ currency, units }: Amount): string => formatDecimal(units, currency.decimals, 1)
