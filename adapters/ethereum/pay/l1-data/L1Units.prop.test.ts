/** Gas for data on L1 is set apart from what code takes (PRICE-27). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Hex } from "viem"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { holdsUnits } from "../../../../src/domain/transfer/payment/CodeUnits.ts"
import { intrinsicGas } from "../GasWithin.ts"
import { unitsAbove, unitsOfCode } from "./L1Units.ts"

const carried = fc.record({
  data: fc.uint8Array({ maxLength: 400 }).map((bytes): Hex => `0x${Buffer.from(bytes).toString("hex")}`),
  authorizationList: fc.option(fc.array(fc.constant({} as never), { maxLength: 8 }), { nil: undefined })
})
const gas = fc.bigInt({ min: 0n, max: 20_000_000n })

describe("units of gas for data on L1", () => {
  it("are none where the chain takes no more than the EVM", () =>
    fc.assert(
      fc.property(carried, gas, (body, less) => {
        const own = intrinsicGas(body)
        assert.strictEqual(unitsAbove(less < own ? own - less : 0n, body), 0n)
      }),
      { numRuns: inputs(2_000, 20_000) }
    ))

  it("are never more than the chain takes on top, so that they raise no bound by what code takes", () =>
    fc.assert(
      fc.property(carried, gas, gas, (body, units, less) => {
        const own = intrinsicGas(body)
        // What the EVM takes is at most its own price.
        const bare = units + (less < own ? own - less : 0n)
        assert.isTrue(unitsAbove(bare, body) <= units)
      }),
      { numRuns: inputs(2_000, 20_000) }
    ))

  it("make no code dearer: a payment is held by its price at any fee of L1, or at none", () =>
    fc.assert(
      fc.property(gas, gas, gas, gas, (priced, taken, then, now) => {
        const [before, after] = [priced + 21_000n, taken + 21_000n]
        assert.strictEqual(unitsOfCode(before + then, then), before)
        assert.strictEqual(
          holdsUnits(unitsOfCode(before + then, then), unitsOfCode(after + now, now)),
          holdsUnits(before, after)
        )
      }),
      { numRuns: inputs(2_000, 20_000) }
    ))
})
