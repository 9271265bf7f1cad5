/** Which stated prices count (PRICE-24). */
import { assert, describe, it } from "@effect/vitest"
import { Bps } from "../money/Bps.ts"
import { USD_PRICE_DIGITS, UsdPrice } from "../money/Usd.ts"
import { observedPrice } from "./UncertainPrice.ts"

const rule = { maxAgeSeconds: 60, maxConfidence: Bps(50n) }
const NOW = 1_000
/** Two dollars and a half. */
const stated = { price: 25_000n, confidence: 125n, exponent: -4, at: NOW }

describe("a price that says how uncertain it is", () => {
  it("is in dollars, with its time, whatever its exponent", () => {
    const price = UsdPrice(25n * 10n ** BigInt(USD_PRICE_DIGITS - 1))
    assert.deepStrictEqual(observedPrice(rule, stated, NOW), { price, at: NOW, maxAgeSeconds: 60 })
    const coarse = { ...stated, price: 25n, confidence: 0n, exponent: -1 }
    assert.deepStrictEqual(observedPrice(rule, coarse, NOW)?.price, price)
  })

  it("counts up to its widest interval and a minute ahead of our clock, and not beyond; never at zero", () => {
    assert.isDefined(observedPrice(rule, { ...stated, at: NOW + 60 }, NOW))
    for (const wrong of [{ confidence: 126n }, { at: NOW + 61 }, { price: 0n, confidence: 0n }]) {
      assert.isUndefined(observedPrice(rule, { ...stated, ...wrong }, NOW), JSON.stringify(Object.keys(wrong)))
    }
  })
})
