import { addressCodec } from "../families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { ChainId } from "../chain/ChainId.ts"
import { Bps, bpsCeil, bpsFloor } from "./Bps.ts"
import type { PricedCurrency } from "./Currency.ts"
import { convertCeil, convertFloor, unitsForUsdCeil, unitsForUsdFloor, usdFloor } from "./Currency.ts"
import { add, compare, shareCeil, shareFloor, subtract, wholeCeil } from "./Fraction.ts"
import { divCeil, divFloor, divTrunc } from "./Rounding.ts"
import { formatUsd, parseUsdPrice, Usd, usdFromMicros, UsdPrice } from "./Usd.ts"

const units = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.bigInt({ min: 0n, max: 1_000n }))
const signed = fc.oneof(fc.bigInt({ min: -(2n ** 256n), max: 2n ** 256n }), fc.bigInt({ min: -100n, max: 100n }))
const positive = fc.oneof(fc.bigInt({ min: 1n, max: 2n ** 256n }), fc.bigInt({ min: 1n, max: 100n }))

/** 0 to 36 decimals, prices of 1e-18 to 1e12 dollars. */
const priced: fc.Arbitrary<PricedCurrency> = fc.record({
  decimals: fc.integer({ min: 0, max: 36 }),
  price: fc.oneof(
    fc.integer({ min: 18, max: 48 }).map((digits) => 10n ** BigInt(digits)),
    fc.bigInt({ min: 10n ** 18n, max: 10n ** 48n })
  )
}).map(({ decimals, price }) => ({
  currency: {
    chainId: ChainId.make(1),
    address: addressCodec("ethereum-vm").nativeCurrency,
    symbol: "X",
    name: "X",
    decimals,
    isNative: true
  },
  price: UsdPrice(price)
}))

const hold = (...properties: ReadonlyArray<fc.IProperty<unknown>>) => {
  for (const property of properties) fc.assert(property, { numRuns: inputs(3_000) })
}

describe("rounding", () => {
  it("goes in the direction of its name, by less than the divisor", () => {
    fc.assert(
      fc.property(signed, positive, (a, b) => {
        const [down, up, cut] = [a - divFloor(a, b) * b, divCeil(a, b) * b - a, divTrunc(a, b)]
        return down >= 0n && down < b && up >= 0n && up < b && cut === (a < 0n ? divCeil(a, b) : divFloor(a, b))
      }),
      { numRuns: inputs(3_000) }
    )
  })

  it("of basis points and fractions is exact arithmetic, rounded once", () => {
    hold(
      fc.property(units, fc.bigInt({ min: 0n, max: 10_000n }), (amount, bps) => {
        assert.strictEqual(bpsFloor(amount, Bps(bps)) + bpsCeil(amount, Bps(10_000n - bps)), amount)
      })
    )
    hold(
      fc.property(signed, positive, signed, positive, units, (n, d, m, e, amount) => {
        const [a, b] = [{ numerator: n, denominator: d }, { numerator: m, denominator: e }]
        assert.strictEqual(compare(subtract(add(a, b), b), a), 0n)
        assert.strictEqual(compare(a, b) < 0n, n * e < m * d)
        assert.strictEqual(shareCeil(amount, a), -shareFloor(amount, { numerator: -n, denominator: d }))
      })
    )
    hold(
      fc.property(units, positive, positive, (amount, n, d) => {
        const least = wholeCeil(amount, { numerator: n, denominator: d })
        assert.isTrue(least * n >= amount * d && (least - 1n) * n < amount * d)
      })
    )
  })
})

describe("conversions", () => {
  it("there and back never gains, and loses less than a unit of each", () => {
    fc.assert(
      fc.property(units, priced, priced, (amount, a, b) => {
        const there = convertFloor(amount, a, b)
        assert.isTrue(convertFloor(there, b, a) <= amount)
        assert.isTrue(convertFloor(there + 1n, b, a) >= amount || convertCeil(there + 1n, b, a) > amount)
        assert.isTrue(convertCeil(amount, a, b) - there <= 1n)
      }),
      { numRuns: inputs(3_000) }
    )
  })

  it("received and paid amounts form a Galois connection", () => {
    fc.assert(
      fc.property(units, units, priced, priced, (paid, wanted, a, b) => {
        assert.strictEqual(convertCeil(wanted, b, a) <= paid, wanted <= convertFloor(paid, a, b))
      }),
      { numRuns: inputs(3_000) }
    )
  })

  it("dollars buy no more than they pay for, and units are worth no more than they cost", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n }), units, priced, (dollars, amount, currency) => {
        const usd = Usd(dollars)
        assert.isTrue(usdFloor(unitsForUsdFloor(usd, currency), currency) <= usd)
        assert.isTrue(usdFloor(unitsForUsdCeil(usd, currency), currency) >= usd)
        assert.isTrue(unitsForUsdCeil(usd, currency) - unitsForUsdFloor(usd, currency) <= 1n)
        assert.isTrue(unitsForUsdCeil(usdFloor(amount, currency), currency) <= amount)
      }),
      { numRuns: inputs(3_000) }
    )
  })

  it("dollars are shown with six decimals, truncated toward zero", () => {
    assert.strictEqual(formatUsd(usdFromMicros(1_234_567n)), "1.234567")
    assert.strictEqual(formatUsd(Usd(-1_999_999_999_999n)), "-0.000001")
    assert.strictEqual(formatUsd(Usd(-999_999_999_999n)), "0.000000")
    assert.strictEqual(Result.getOrThrow(parseUsdPrice("0.999509")), 999_509n * 10n ** 30n)
    assert.strictEqual(Result.getOrThrow(parseUsdPrice("0.000000000000000001")), 10n ** 18n)
  })
})
