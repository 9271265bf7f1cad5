import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { formatDecimal, formatFixed, formatRatio, parseDecimal } from "./Decimal.ts"

const value = fc.oneof(fc.bigInt({ min: -(2n ** 256n), max: 2n ** 256n }), fc.bigInt({ min: -1000n, max: 1000n }))
const scale = fc.integer({ min: 0, max: 36 })
const positive = fc.oneof(fc.bigInt({ min: 1n, max: 2n ** 256n }), fc.bigInt({ min: 1n, max: 1000n }))

/** A decimal text as an exact fraction. */
const fraction = (text: string): readonly [bigint, bigint] => {
  const [whole = "0", part = ""] = text.split(".")
  return [BigInt(whole + part), 10n ** BigInt(part.length)]
}

const significantDigits = (text: string): number => text.replace(".", "").replace(/^0+/, "").replace(/0+$/, "").length

describe("decimals", () => {
  it("parsing undoes formatting, for any least fraction", () => {
    fc.assert(
      fc.property(value, scale, fc.nat(36), (n, scale, places) => {
        const text = formatDecimal(n, scale, Math.min(places, scale))
        assert.strictEqual(Result.getOrThrow(parseDecimal(text, scale)), n)
      }),
      { numRuns: inputs(5_000) }
    )
  })

  it("a fraction is always shown when requested, and no zeros beyond it", () => {
    assert.strictEqual(formatDecimal(100_000_000n, 6, 1), "100.0")
    assert.strictEqual(formatDecimal(6_600n, 9, 1), "0.0000066")
    assert.strictEqual(formatDecimal(0n, 18, 1), "0.0")
    assert.strictEqual(formatDecimal(5n, 0, 1), "5.0")
    assert.strictEqual(formatDecimal(-15n, 1), "-1.5")
  })

  it("fixed places truncate toward zero and never show a negative zero", () => {
    fc.assert(
      fc.property(value, scale, fc.nat(12), (n, scale, places) => {
        const text = formatFixed(n, scale, places)
        const [top, bottom] = fraction(text.replace("-", ""))
        const magnitude = n < 0n ? -n : n
        const off = magnitude * bottom - top * 10n ** BigInt(scale)
        assert.isTrue(off >= 0n && off < 10n ** BigInt(scale))
        assert.strictEqual(text.split(".")[1]?.length ?? 0, places)
        assert.strictEqual(text.startsWith("-"), n < 0n && top > 0n)
      }),
      { numRuns: inputs(5_000) }
    )
    assert.strictEqual(formatFixed(-4n, 2, 1), "0.0")
  })

  it("a ratio is truncated, with as many significant digits as allowed", () => {
    fc.assert(
      fc.property(fc.oneof(fc.constant(0n), positive), positive, fc.integer({ min: 1, max: 18 }), (a, b, digits) => {
        const text = formatRatio(a, b, digits)
        const [top, bottom] = fraction(text)
        assert.isAtMost(significantDigits(text), digits)
        assert.notInclude(text, "e")
        const lost = a * bottom - top * b
        assert.isTrue(lost >= 0n, `${text} is more`)
        // Less than one unit of the last significant digit, a relative error below 10^(1 − digits).
        assert.isTrue(lost * 10n ** BigInt(digits - 1) < a * bottom || a === 0n, `${text} is too little`)
      }),
      { numRuns: inputs(5_000) }
    )
    assert.strictEqual(formatRatio(24_899_610n, 25_000_000n, 18), "0.9959844")
    assert.strictEqual(formatRatio(1n, 3n, 18), "0.333333333333333333")
    assert.strictEqual(formatRatio(10n ** 20n, 3n, 18), "33333333333333333300")
    assert.strictEqual(formatRatio(1n, 0n, 18), "0")
  })

  it("an invalid decimal is an error, and so are more digits than the scale", () => {
    for (
      const text of ["", ".", "1.", ".5", "1e5", "+1", " 1", "1 ", "0x1", "1,5", "NaN", "--1", "1.1.1", "9".repeat(401)]
    ) {
      assert.isTrue(Result.isFailure(parseDecimal(text, 18)), text)
    }
    assert.isTrue(Result.isFailure(parseDecimal("0.0000001", 6)))
    assert.strictEqual(Result.getOrThrow(parseDecimal("0.000001", 6)), 1n)
    fc.assert(
      fc.property(fc.string(), scale, (text, scale) => {
        const parsed = parseDecimal(text, scale)
        return Result.isFailure(parsed) || /^-?\d+(\.\d+)?$/.test(text)
      }),
      { numRuns: inputs(2_000) }
    )
  })
})
