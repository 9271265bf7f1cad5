/**
 * A currency on one chain, and how its smallest units relate to dollars and to other currencies.
 *
 * All arithmetic is exact on integers, with the rounding direction in the name. Prices come in through a port. Fees are
 * decided in `quote/`.
 */
import * as Schema from "effect/Schema"
import { ChainId } from "../chain/ChainId.ts"
import { CurrencyAddress } from "../chain/Address.ts"
import { shareCeil, shareFloor } from "./Fraction.ts"
import type { Fraction } from "./Fraction.ts"
import { powerOfTen } from "./PowerOfTen.ts"
import { divCeil, divFloor } from "./Rounding.ts"
import { Usd, USD_DIGITS, USD_PRICE_DIGITS } from "./Usd.ts"
import type { UsdPrice } from "./Usd.ts"

/** A currency on one chain: its address in the family's spelling, and its decimals. */
export const Currency = Schema.Struct({
  chainId: ChainId,
  address: CurrencyAddress,
  symbol: Schema.String,
  name: Schema.String,
  decimals: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 36 })),
  isNative: Schema.Boolean,
  logoUri: Schema.optionalKey(Schema.String),
  /** Every payment is a multiple of it, smallest units; 1 unless set. */
  payableUnit: Schema.optionalKey(Schema.BigIntFromString)
})
export type Currency = typeof Currency.Type

/** True when two are the same currency of the same chain. */
export const sameCurrency = (a: Currency, b: Currency): boolean => a.chainId === b.chainId && a.address === b.address

/** The largest amount that a payment can move, up to this one: for amounts that somebody receives, or is asked for. */
export const payableFloor = (units: bigint, { payableUnit = 1n }: Pick<Currency, "payableUnit">): bigint =>
  units - (units % payableUnit)

/** The smallest amount that a payment can move, from this one up: for amounts that somebody pays. */
export const payableCeil = (units: bigint, { payableUnit = 1n }: Pick<Currency, "payableUnit">): bigint =>
  divCeil(units, payableUnit) * payableUnit

/** A currency with the price of one whole unit of it. */
export interface PricedCurrency {
  readonly currency: Currency
  readonly price: UsdPrice
}

const PRICE_TO_USD = powerOfTen(USD_PRICE_DIGITS - USD_DIGITS)

/** Dollars that `units` of a currency are worth, rounded down. */
export const usdFloor = (units: bigint, { currency, price }: PricedCurrency): Usd =>
  Usd(divFloor(units * price, powerOfTen(currency.decimals) * PRICE_TO_USD))

/** Dollars that `units` of a currency are worth, rounded up. */
export const usdCeil = (units: bigint, { currency, price }: PricedCurrency): Usd =>
  Usd(divCeil(units * price, powerOfTen(currency.decimals) * PRICE_TO_USD))

/** Smallest units of a currency that `usd` buys, rounded down: for amounts that somebody receives. */
export const unitsForUsdFloor = (usd: Usd, { currency, price }: PricedCurrency): bigint =>
  divFloor(usd * powerOfTen(currency.decimals) * PRICE_TO_USD, price)

/** Smallest units of a currency that cost `usd`, rounded up. */
export const unitsForUsdCeil = (usd: Usd, { currency, price }: PricedCurrency): bigint =>
  divCeil(usd * powerOfTen(currency.decimals) * PRICE_TO_USD, price)

/** Smallest units of one currency per smallest unit of another, by their prices. */
export const marketRate = (from: PricedCurrency, to: PricedCurrency): Fraction => ({
  numerator: from.price * powerOfTen(to.currency.decimals),
  denominator: to.price * powerOfTen(from.currency.decimals)
})

/** `units` of one currency in units of another at the market rate, rounded down: for amounts that somebody receives. */
export const convertFloor = (units: bigint, from: PricedCurrency, to: PricedCurrency): bigint =>
  shareFloor(units, marketRate(from, to))

/** `units` of one currency in units of another at the market rate, rounded up: for amounts that somebody pays. */
export const convertCeil = (units: bigint, from: PricedCurrency, to: PricedCurrency): bigint =>
  shareCeil(units, marketRate(from, to))
