import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { lastBlockBefore } from "./LastBlockBefore.ts"

describe("the last block before a time", () => {
  it("is the one that a look at every block finds, by few questions", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(20), { maxLength: 60 }),
        fc.nat(60),
        fc.integer({ min: -1, max: 1 }),
        (steps, block, off) => {
          const times: Array<number> = []
          for (const step of steps) times.push((times.at(-1) ?? 0) + step)
          // At a block's own time, and a millisecond to either side.
          const time = (times[block % (times.length || 1)] ?? 0) * 1_000 + off
          let asked = 0
          const found = Effect.runSync(lastBlockBefore(BigInt(times.length - 1), time, (height) =>
            Effect.sync(() => {
              asked += 1
              return times[Number(height)] ?? Number.NaN
            })))
          assert.strictEqual(found, BigInt(times.findLastIndex((each) => each * 1_000 < time)))
          assert.isAtMost(asked, Math.ceil(Math.log2(times.length + 1)))
        }
      ),
      { numRuns: inputs(500, 20_000) }
    )
  })
})
