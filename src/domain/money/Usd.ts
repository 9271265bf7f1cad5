/**
 * US dollars as integers: `Usd` with 18 digits for comparing and adding, `UsdPrice` with 36 digits for the value of one
 * whole unit of a currency (so a price of 1e-18 dollars still has 18 significant digits).
 *
 * One USDC counts as one US dollar wherever a cap or balance in USDC is compared with dollars (SPONSOR-5).
 */
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import { formatFixed, parseDecimal } from "./Decimal.ts"
import type { InvalidDecimal } from "./Decimal.ts"
import { divCeil } from "./Rounding.ts"

/** An exact amount of dollars, in units of 10^-18 (`USD_DIGITS`). */
export type Usd = bigint & Brand.Brand<"Usd">
/** Dollars per whole unit, with `USD_PRICE_DIGITS` digits. */
export type UsdPrice = bigint & Brand.Brand<"UsdPrice">

/** Fraction digits of an amount of dollars. */
export const USD_DIGITS = 18
/** Fraction digits of a price in dollars. */
export const USD_PRICE_DIGITS = 36

export const Usd = Brand.nominal<Usd>()
export const UsdPrice = Brand.nominal<UsdPrice>()

/** Zero dollars. */
export const zeroUsd: Usd = Usd(0n)

/** Dollars from micro-dollars, the unit of caps (REQUEST-5: 1000000 means one dollar). */
export const usdFromMicros = (micros: bigint): Usd => Usd(micros * 10n ** 12n)

/** A value in micro-dollars, rounded up. */
export const microsCeil = (value: Usd): bigint => divCeil(value, 10n ** 12n)

/** Parses a decimal text as a price in dollars per whole unit: "2500", "0.999509". */
export const parseUsdPrice = (text: string): Result.Result<UsdPrice, InvalidDecimal> =>
  Result.map(parseDecimal(text, USD_PRICE_DIGITS), UsdPrice)

/** Wire form of a dollar value: six decimals, truncated toward zero, signed (WIRE-2, QUOTE-3). */
export const formatUsd = (value: Usd): string => formatFixed(value, USD_DIGITS, 6)
