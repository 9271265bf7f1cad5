import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { chosenOf, partOf, RUN_THINNED } from "./Sample.ts"
import { inputs } from "./Tally.ts"

const thinnings = fc.double({ min: 1, max: 20, noNaN: true })
const turn = fc.double({ min: 0, max: 0.999_999, noNaN: true })
const lists = fc.integer({ min: 1, max: 300 }).map((length) => Array.from({ length }, (_, index) => index))

describe("the sample of a long run", () => {
  it("is everything when nothing is left out", () => {
    fc.assert(fc.property(lists, turn, (all, at) => assert.deepStrictEqual(chosenOf(all, at, 1), all)), {
      numRuns: inputs(200)
    })
  })

  it("is a proportional part, in order, without duplicates, spread over all of it", () => {
    fc.assert(
      fc.property(lists, turn, thinnings, (all, at, thinned) => {
        const chosen = chosenOf(all, at, thinned)
        assert.lengthOf(chosen, partOf(all.length, thinned))
        assert.isAtMost(chosen.length, all.length / thinned + 1)
        assert.deepStrictEqual([...new Set(chosen)].toSorted((a, b) => a - b), chosen)
        const gaps = chosen.map((each, index) => each - (chosen[index - 1] ?? -1))
        assert.isAtMost(Math.max(...gaps), 2 * thinned + 1)
      }),
      { numRuns: inputs(500) }
    )
  })

  it("selects each one at some time", () => {
    fc.assert(
      fc.property(lists, thinnings, (all, thinned) => {
        const seen = new Set(Array.from({ length: 60 }, (_, at) => chosenOf(all, at / 60, thinned)).flat())
        assert.strictEqual(seen.size, all.length)
      }),
      { numRuns: inputs(100) }
    )
  })

  it("is everything when a run has no setting, or an invalid one", () => {
    const outer = process.env[RUN_THINNED]
    try {
      for (const told of [undefined, "", "0", "-3", "1"]) {
        if (told === undefined) delete process.env[RUN_THINNED]
        else process.env[RUN_THINNED] = told
        assert.strictEqual(partOf(7), 7)
      }
      process.env[RUN_THINNED] = "2"
      assert.strictEqual(partOf(7), 4)
    } finally {
      if (outer === undefined) delete process.env[RUN_THINNED]
      else process.env[RUN_THINNED] = outer
    }
  })
})
