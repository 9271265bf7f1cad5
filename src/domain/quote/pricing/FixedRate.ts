/**
 * The rate of a fixed-spread quote: "a:b", b whole units of the destination currency for a whole units of the origin's
 * (REQUEST-26, fixedRate).
 *
 * It replaces the market rate in the conversion; its cost to us is part of `swap`. Not for who pays that.
 */
import * as Result from "effect/Result"
import type { Bps } from "../../money/Bps.ts"
import { WHOLE_BPS } from "../../money/Bps.ts"
import type { Currency, PricedCurrency } from "../../money/Currency.ts"
import { marketRate } from "../../money/Currency.ts"
import { parseDecimal } from "../../money/Decimal.ts"
import { compare, subtract } from "../../money/Fraction.ts"
import type { Fraction } from "../../money/Fraction.ts"
import { divTrunc } from "../../money/Rounding.ts"
import type { Usd } from "../../money/Usd.ts"
import { Usd as makeUsd, USD_DIGITS, USD_PRICE_DIGITS } from "../../money/Usd.ts"
import { QuoteRefused } from "../QuoteError.ts"

/** Whole units: `give` of the origin currency for `take` of the destination's; both positive, scaled alike. */
export interface FixedRate {
  readonly give: bigint
  readonly take: bigint
}

const RATE_DIGITS = 18

const refused = (message: string) =>
  Result.fail(new QuoteRefused({ code: "INVALID_REQUEST", field: "fixedRate", message: `fixedRate: ${message}` }))

/** Two positive decimals of at most 18 fraction digits with a colon between them. */
export const parseFixedRate = (text: string): Result.Result<FixedRate, QuoteRefused> => {
  const [give, take, ...rest] = text.length <= 120 ? text.split(":").map((part) => parseDecimal(part, RATE_DIGITS)) : []
  const readable = give !== undefined && take !== undefined && rest.length === 0 && Result.isSuccess(give) &&
    Result.isSuccess(take)
  return readable && give.success > 0n && take.success > 0n
    ? Result.succeed({ give: give.success, take: take.success })
    : refused("two positive decimals \"a:b\" are meant, b whole units out for a whole units in")
}

/** The rate between smallest units. */
export const unitRate = ({ give, take }: FixedRate, from: Currency, to: Currency): Fraction => ({
  numerator: take * 10n ** BigInt(to.decimals),
  denominator: give * 10n ** BigInt(from.decimals)
})

/** INVALID_REQUEST when |rate / market − 1| exceeds the bound (FIXED_RATE_MAX_BPS). */
export const checkFixedRate = (
  rate: FixedRate,
  from: PricedCurrency,
  to: PricedCurrency,
  maxBps: Bps
): Result.Result<FixedRate, QuoteRefused> => {
  const market = marketRate(from, to)
  const off = subtract(unitRate(rate, from.currency, to.currency), market)
  const distance = {
    numerator: (off.numerator < 0n ? -off.numerator : off.numerator) * WHOLE_BPS,
    denominator: off.denominator
  }
  return compare(distance, { numerator: market.numerator * maxBps, denominator: market.denominator }) <= 0n
    ? Result.succeed(rate)
    : refused(`is more than ${maxBps} basis points away from the market rate`)
}

/**
 * What the user pays above the market for exchanging `units` at the rate; negative when the rate is better than the
 * market.
 */
export const fixedRateFeeUsd = (
  units: bigint,
  { give, take }: FixedRate,
  from: PricedCurrency,
  to: PricedCurrency
): Usd =>
  makeUsd(divTrunc(
    units * (give * from.price - take * to.price),
    give * 10n ** BigInt(from.currency.decimals + USD_PRICE_DIGITS - USD_DIGITS)
  ))
