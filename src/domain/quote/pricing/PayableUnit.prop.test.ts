/** Amounts of a price are what the chains can move: multiples of the currencies' payable units (EXCHANGEA-8). */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { Bps } from "../../money/Bps.ts"
import { alpha, beta, pricedOn } from "../testing/Chains.ts"
import type { PricingTerms } from "./Fees.ts"
import { priceExactInput, priceExactOutput } from "./Pricing.ts"

const usdc = pricedOn(alpha, "USDC", "1")
const movedIn = (unit: bigint) => ({ ...usdc, currency: { ...usdc.currency, payableUnit: unit } })

const termsOf = (unitIn: bigint, unitOut: bigint): PricingTerms => ({
  origin: movedIn(unitIn),
  destination: movedIn(unitOut),
  destinationNative: pricedOn(beta, "ETH", "2000"),
  fillGas: 10n ** 13n,
  spreadBps: Bps(0n),
  serviceBps: Bps(15n),
  appBps: Bps(30n)
})

const unit = fc.constantFrom(1n, 7n, 100n, 1_000n)

describe("prices between currencies that move in units", () => {
  it("deliver a multiple of the unit, less than one unit below what the fees leave", () => {
    fc.assert(
      fc.property(unit, fc.bigInt({ min: 1_000_000n, max: 10n ** 12n }), (unitOut, amount) => {
        const priced = priceExactInput(termsOf(1n, unitOut), amount)
        if (Result.isFailure(priced)) return
        const { amountOut } = priced.success
        const { amountOut: whole } = Result.getOrThrow(priceExactInput(termsOf(1n, 1n), amount))
        assert.strictEqual(amountOut % unitOut, 0n)
        assert.isTrue(amountOut <= whole && whole - amountOut < unitOut)
      }),
      { numRuns: inputs(1_000, 100_000) }
    )
  })

  it("ask for the least multiple of the unit that delivers an exact output", () => {
    fc.assert(
      fc.property(unit, fc.bigInt({ min: 100_000n, max: 10n ** 12n }), (unitIn, wanted) => {
        const { amountIn, amountOut } = Result.getOrThrow(priceExactOutput(termsOf(unitIn, 1n), wanted))
        assert.strictEqual(amountOut, wanted)
        assert.strictEqual(amountIn % unitIn, 0n)
        const delivers = (input: bigint) =>
          Result.match(priceExactInput(termsOf(1n, 1n), input), {
            onSuccess: (priced) => priced.amountOut >= wanted,
            onFailure: () => false
          })
        assert.isTrue(delivers(amountIn) && !delivers(amountIn - unitIn))
      }),
      { numRuns: inputs(1_000, 100_000) }
    )
  })
})
