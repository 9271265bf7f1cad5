/**
 * Amounts of a request timeline, exact: bigint to text, never a floating point number.
 *
 * Dollars are those of the quote. An amount of a quoted currency that was not quoted itself (a larger deposit, a
 * smaller refund) gets its proportional share of the quoted dollars, truncated toward zero.
 */
import * as Result from "effect/Result"
import type { CurrencyAddress } from "../chain/Address.ts"
import type { ChainId } from "../chain/ChainId.ts"
import { formatAmount } from "../money/Amount.ts"
import { formatDecimal, formatFixed, parseDecimal } from "../money/Decimal.ts"
import type { WireAmount } from "../quote/wire/WireAmount.ts"
import type { TimelineAmount } from "./RequestTimeline.ts"
import { currencyOf } from "./TimelineRecord.ts"
import type { TimelineSource } from "./TimelineRecord.ts"

/** Digits after the point of dollars in a request timeline. */
const USD_PLACES = 6

const microsOf = (usd: string | null): bigint | undefined =>
  usd === null ? undefined : Result.getOrUndefined(parseDecimal(usd, USD_PLACES))

/** An amount of the quote, with the quote's own texts. */
export const quotedAmount = ({ amount, amountFormatted, amountUsd, currency }: WireAmount): TimelineAmount => ({
  units: amount,
  text: amountFormatted,
  symbol: currency.symbol,
  usd: amountUsd
})

/** The dollar value of an amount at the quote's price for its currency; null when the quote shows no price. */
const usdAt = (units: bigint, { amount, amountUsd }: WireAmount): string | null => {
  const quoted = BigInt(amount)
  const micros = microsOf(amountUsd)
  if (units === quoted) return amountUsd
  return quoted === 0n || micros === undefined ? null : formatFixed(units * micros / quoted, USD_PLACES, USD_PLACES)
}

/** An amount of a currency on a chain, in dollars where the quote had a price for it. */
export const amountOn = (
  told: TimelineSource,
  chainId: ChainId,
  address: CurrencyAddress,
  units: bigint
): TimelineAmount => {
  const { currencyIn, currencyOut } = told.transfer.quote.details
  const priced = [currencyIn, currencyOut].find(({ currency }) =>
    currency.chainId === chainId && currency.address === address
  )
  const currency = currencyOf(told, chainId, address)
  const usd = priced === undefined ? null : usdAt(units, priced)
  return currency === undefined
    ? { units: units.toString(), text: units.toString(), symbol: `of ${address}`, usd }
    : { units: units.toString(), text: formatAmount({ currency, units }), symbol: currency.symbol, usd }
}

/** The sum of amounts in one currency, that of `like`. */
export const sumOf = (like: WireAmount, amounts: ReadonlyArray<TimelineAmount>): TimelineAmount => {
  const units = amounts.reduce((sum, amount) => sum + BigInt(amount.units), 0n)
  const micros = amounts.reduce<bigint | undefined>((sum, { usd }) => {
    const one = microsOf(usd)
    return sum === undefined || one === undefined ? undefined : sum + one
  }, 0n)
  return {
    units: units.toString(),
    text: formatDecimal(units, like.currency.decimals, 1),
    symbol: like.currency.symbol,
    usd: micros === undefined ? null : formatFixed(micros, USD_PLACES, USD_PLACES)
  }
}
