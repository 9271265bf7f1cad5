/** A chain rests only while no block of its own pace can come, whatever the blocks before were like. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { alpha } from "../../domain/quote/testing/Chains.ts"
import { makeBlockPace } from "./BlockPace.ts"

/** What a follower sees: heights, and the milliseconds between them. */
const seen = fc.array(
  fc.record({ by: fc.bigInt({ min: -2n, max: 4n }), after: fc.integer({ min: 0, max: 60_000 }) }),
  { minLength: 17, maxLength: 60 }
)

const chainOf = (blockTimeMs: number) => ({ ...alpha, blockTimeMs })

describe("the pace of a chain's blocks", () => {
  it("gives no rest beyond three quarters of the shortest time between two of the last blocks, or of the configured one", () => {
    fc.assert(
      fc.property(seen, fc.integer({ min: 100, max: 600_000 }), (steps, blockTimeMs) => {
        const pace = makeBlockPace(chainOf(blockTimeMs))
        let at = 0
        let height = 100n
        pace.note(height, at)
        for (const { after, by } of steps) {
          at += after
          height += by
          pace.note(height, at)
        }
        const last = steps.slice(-16)
        const rest = pace.calmUntil() - at
        if (last.some(({ by }) => by <= 0n)) return assert.strictEqual(rest, -Infinity)
        const shortest = Math.min(blockTimeMs, ...last.map(({ after, by }) => after / Number(by)))
        assert.closeTo(rest, Math.min(10_000, shortest * 0.75), 1e-6)
      }),
      { numRuns: inputs(500, 10_000) }
    )
  })

  it("gives none before a pace is known, and none any more once a block comes early", () => {
    const pace = makeBlockPace(chainOf(1_000))
    assert.strictEqual(pace.calmUntil(), -Infinity)
    for (let height = 0n; height < 16n; height += 1n) pace.note(height, Number(height) * 1_000)
    assert.strictEqual(pace.calmUntil(), -Infinity)
    pace.note(16n, 16_000)
    assert.strictEqual(pace.calmUntil(), 16_750)
    pace.note(17n, 16_040)
    assert.strictEqual(pace.calmUntil(), 16_070)
    // Another block at the same height.
    pace.note(17n, 17_000)
    assert.strictEqual(pace.calmUntil(), -Infinity)
  })
})
