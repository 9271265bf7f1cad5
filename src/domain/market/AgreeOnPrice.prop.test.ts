import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { Bps } from "../money/Bps.ts"
import { UsdPrice } from "../money/Usd.ts"
import { agreeOnPrice, maxAgeOfHeartbeat } from "./AgreeOnPrice.ts"

const NOW = 1_900_000_000
const fresh = (price: bigint) => ({ price: UsdPrice(price), at: NOW - 5, maxAgeSeconds: 60 })
const rule = (required: number, tolerance = 14n) => ({ required, tolerance: Bps(tolerance) })

const observation = fc.record({
  price: fc.bigInt({ min: 0n, max: 10n ** 40n }).map(UsdPrice),
  at: fc.option(fc.integer({ min: NOW - 200, max: NOW + 20 }), { nil: undefined }),
  maxAgeSeconds: fc.integer({ min: 1, max: 100 })
})

describe("agreeing on a price", () => {
  it("takes the first of enough sources that are close together", () => {
    assert.deepStrictEqual(
      agreeOnPrice([fresh(10_000n), fresh(10_010n)], NOW, rule(2)),
      Result.succeed(UsdPrice(10_000n))
    )
  })

  it("tolerates exactly the tolerance, and not one unit more", () => {
    assert.isTrue(Result.isSuccess(agreeOnPrice([fresh(10_000n), fresh(10_014n)], NOW, rule(2))))
    assert.deepStrictEqual(agreeOnPrice([fresh(10_014n), fresh(9_999n)], NOW, rule(2)), Result.fail("disagreeing"))
  })

  it("counts the age to the second", () => {
    const old = { price: UsdPrice(1n), at: NOW - maxAgeOfHeartbeat(3600), maxAgeSeconds: maxAgeOfHeartbeat(3600) }
    assert.isTrue(Result.isSuccess(agreeOnPrice([old], NOW, rule(1))))
    assert.deepStrictEqual(agreeOnPrice([old], NOW + 1, rule(1)), Result.fail("stale"))
  })

  it("never returns a price that is not above zero, is stale, or comes from one source when two are required", () => {
    fc.assert(
      fc.property(fc.array(observation, { maxLength: 4 }), fc.integer({ min: 1, max: 3 }), (observations, required) => {
        const agreed = agreeOnPrice(observations, NOW, rule(required))
        if (Result.isFailure(agreed)) return
        const usable = observations.filter(({ at, maxAgeSeconds, price }) =>
          price > 0n && (at === undefined || NOW - at <= maxAgeSeconds)
        )
        assert.isAtLeast(usable.length, required)
        assert.isTrue(usable.some(({ price }) => price === agreed.success))
        for (const { price } of usable) {
          assert.isTrue(
            (price > agreed.success ? price - agreed.success : agreed.success - price) * 10_000n <= price * 14n
          )
        }
      }),
      { numRuns: inputs(5_000) }
    )
  })
})
