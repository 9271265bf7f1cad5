/** Amounts, dollars and basis points: integers, with the rounding said at every division. */
export { Amount, amount, formatAmount } from "../domain/money/Amount.ts"
export { Bps, bpsCeil, bpsFloor, WHOLE_BPS, zeroBps } from "../domain/money/Bps.ts"
export {
  convertCeil,
  convertFloor,
  Currency,
  marketRate,
  type PricedCurrency,
  sameCurrency,
  unitsForUsdCeil,
  unitsForUsdFloor,
  usdFloor
} from "../domain/money/Currency.ts"
export { formatDecimal, formatFixed, formatRatio, InvalidDecimal, parseDecimal } from "../domain/money/Decimal.ts"
export type { Fraction } from "../domain/money/Fraction.ts"
export { divCeil, divFloor, divTrunc } from "../domain/money/Rounding.ts"
export {
  formatUsd,
  parseUsdPrice,
  Usd,
  USD_DIGITS,
  USD_PRICE_DIGITS,
  usdFromMicros,
  UsdPrice,
  zeroUsd
} from "../domain/money/Usd.ts"
