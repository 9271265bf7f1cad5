/** Amount objects of responses (WIRE-3, WIRE-4): every fee, total and currency quantity on the wire has this shape. */
import * as Schema from "effect/Schema"
import { formatAmount } from "../../money/Amount.ts"
import type { Currency, PricedCurrency } from "../../money/Currency.ts"
import { usdFloor } from "../../money/Currency.ts"
import { formatUsd } from "../../money/Usd.ts"

/** A currency as answers show it. */
export const WireCurrency = Schema.Struct({
  chainId: Schema.Int,
  address: Schema.String,
  symbol: Schema.String,
  name: Schema.String,
  decimals: Schema.Int,
  metadata: Schema.Struct({
    logoURI: Schema.optionalKey(Schema.String),
    verified: Schema.Boolean,
    isNative: Schema.Boolean
  })
})
export type WireCurrency = typeof WireCurrency.Type

/** An amount as answers show it: `amount` and `minimumAmount` in smallest units, a decimal text, and dollars. */
export const WireAmount = Schema.Struct({
  currency: WireCurrency,
  amount: Schema.String,
  amountFormatted: Schema.String,
  amountUsd: Schema.String,
  minimumAmount: Schema.String
})
export type WireAmount = typeof WireAmount.Type

/** Only configured currencies are ever quoted, and a configured currency is a verified one. */
const shown = (currency: Currency): WireCurrency => ({
  chainId: currency.chainId,
  address: currency.address,
  symbol: currency.symbol,
  name: currency.name,
  decimals: currency.decimals,
  metadata: {
    ...(currency.logoUri === undefined ? {} : { logoURI: currency.logoUri }),
    verified: true,
    isNative: currency.isNative
  }
})

const known = new WeakMap<Currency, WireCurrency>()

/** The same object for the same currency: an answer shows a currency a dozen times. */
export const wireCurrency = (currency: Currency): WireCurrency => {
  const made = known.get(currency) ?? shown(currency)
  known.set(currency, made)
  return made
}

/** `minimum` defaults to the amount itself: so it is for inputs and fees (WIRE-4). */
export const wireAmount = (priced: PricedCurrency, units: bigint, minimum: bigint = units): WireAmount => ({
  currency: wireCurrency(priced.currency),
  amount: units.toString(),
  amountFormatted: formatAmount({ currency: priced.currency, units }),
  amountUsd: formatUsd(usdFloor(units, priced)),
  minimumAmount: minimum.toString()
})
