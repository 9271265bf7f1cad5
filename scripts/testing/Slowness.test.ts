import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { chosenOf, measureSlowness, partOf } from "./Slowness.ts"
import { inputs } from "./Tally.ts"

const slowness = fc.double({ min: 1, max: 20, noNaN: true })
const turn = fc.double({ min: 0, max: 0.999_999, noNaN: true })
const lists = fc.integer({ min: 1, max: 300 }).map((length) => Array.from({ length }, (_, index) => index))

describe("what of a long run fits on a slow processor", () => {
  it("is everything where it is as fast as it should be", () => {
    fc.assert(fc.property(lists, turn, (all, at) => assert.deepStrictEqual(chosenOf(all, at, 1), all)), {
      numRuns: inputs(200)
    })
  })

  it("is a part in proportion, in order, nothing twice, spread over all of it", () => {
    fc.assert(
      fc.property(lists, turn, slowness, (all, at, slow) => {
        const chosen = chosenOf(all, at, slow)
        assert.lengthOf(chosen, partOf(all.length, slow))
        assert.isAtMost(chosen.length, all.length / slow + 1)
        assert.deepStrictEqual([...new Set(chosen)].toSorted((a, b) => a - b), chosen)
        const gaps = chosen.map((each, index) => each - (chosen[index - 1] ?? -1))
        assert.isAtMost(Math.max(...gaps), 2 * slow + 1)
      }),
      { numRuns: inputs(500) }
    )
  })

  it("gives each its turn", () => {
    fc.assert(
      fc.property(lists, slowness, (all, slow) => {
        const seen = new Set(Array.from({ length: 60 }, (_, at) => chosenOf(all, at / 60, slow)).flat())
        assert.strictEqual(seen.size, all.length)
      }),
      { numRuns: inputs(100) }
    )
  })

  it("is measured", () => {
    const slow = measureSlowness()
    assert.isAtLeast(slow, 1)
    assert.isBelow(slow, 100)
  })
})
