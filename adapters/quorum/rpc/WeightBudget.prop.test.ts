import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { WeightBudget } from "./WeightBudget.ts"

describe("the weight of requests to an endpoint", () => {
  it("is within the limit in every minute, and no request that fits is refused", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 1, max: 60 })), { maxLength: 60 }),
        (asked) => {
          const budget = new WeightBudget(200)
          const taken: Array<{ readonly at: number; readonly weight: number }> = []
          let now = 0
          for (const [later, weight] of asked) {
            now += later
            const within = taken.filter(({ at }) => at > now - 60_000).reduce((sum, each) => sum + each.weight, 0)
            const isTaken = budget.take(weight, now)
            assert.strictEqual(isTaken, within + weight <= 200)
            if (isTaken) taken.push({ at: now, weight })
          }
        }
      ),
      { numRuns: inputs(500, 50_000) }
    )
  })
})
