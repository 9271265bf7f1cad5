/**
 * Decimal text ↔ scaled integers, exactly. Amounts are never floating point numbers.
 *
 * Guarantee: `parseDecimal(formatDecimal(n, s), s)` is `n`. Money arithmetic is done on the integers.
 */
import * as Result from "effect/Result"
import { powerOfTen } from "./PowerOfTen.ts"

/** The text is not a decimal, or has too many digits. */
export class InvalidDecimal {
  readonly _tag = "InvalidDecimal"
  readonly input: string
  readonly scale: number
  constructor(input: string, scale: number) {
    this.input = input
    this.scale = scale
  }
}

const pattern = /^(-?)(\d+)(?:\.(\d+))?$/

/** Reads `text` as an integer scaled by 10^scale. More fraction digits than `scale` is an error; nothing is rounded. */
export const parseDecimal = (text: string, scale: number): Result.Result<bigint, InvalidDecimal> => {
  const match = text.length <= 400 ? pattern.exec(text) : null
  if (match === null) return Result.fail(new InvalidDecimal(text, scale))
  const fraction = match[3] ?? ""
  if (fraction.length > scale) return Result.fail(new InvalidDecimal(text, scale))
  const magnitude = BigInt((match[2] ?? "0") + fraction.padEnd(scale, "0"))
  return Result.succeed(match[1] === "-" ? -magnitude : magnitude)
}

const ZERO = "0".charCodeAt(0)

/** Exact text of value / 10^scale with at least `minFraction` fraction digits and no trailing zeros beyond them. */
export const formatDecimal = (value: bigint, scale: number, minFraction = 0): string => {
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, "0")
  const point = digits.length - scale
  let end = digits.length
  while (end > point && digits.charCodeAt(end - 1) === ZERO) end -= 1
  const fraction = digits.slice(point, end).padEnd(minFraction, "0")
  return `${value < 0n ? "-" : ""}${digits.slice(0, point)}${fraction === "" ? "" : `.${fraction}`}`
}

/** Text of value / 10^scale with exactly `places` fraction digits, truncated toward zero. Never "-0". */
export const formatFixed = (value: bigint, scale: number, places: number): string => {
  const cut = scale >= places ? value / powerOfTen(scale - places) : value * powerOfTen(places - scale)
  const digits = (cut < 0n ? -cut : cut).toString().padStart(places + 1, "0")
  const whole = digits.slice(0, digits.length - places)
  return `${cut < 0n ? "-" : ""}${whole}${places === 0 ? "" : `.${digits.slice(digits.length - places)}`}`
}

/** numerator / denominator as a decimal of at most `significant` significant digits, truncated (WIRE-2, `rate`). */
export const formatRatio = (numerator: bigint, denominator: bigint, significant: number): string => {
  if (denominator <= 0n || numerator < 0n) return "0"
  if (numerator === 0n) return "0"
  const whole = numerator / denominator
  if (whole > 0n) {
    const places = Math.max(0, significant - whole.toString().length)
    const scaled = (numerator * powerOfTen(places)) / denominator
    const excess = scaled.toString().length - significant
    return formatDecimal(excess > 0 ? (scaled / powerOfTen(excess)) * powerOfTen(excess) : scaled, places)
  }
  // Below one, leading zeros of the fraction are not significant. Find the scale at which the digits start.
  const gap = denominator.toString().length - numerator.toString().length
  const places = significant + gap
  const scaled = (numerator * powerOfTen(places)) / denominator
  const excess = scaled.toString().length - significant
  return excess > 0
    ? formatDecimal(scaled / powerOfTen(excess), places - excess)
    : formatDecimal(scaled, places)
}
