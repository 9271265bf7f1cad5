import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { inputs } from "../../scripts/testing/Tally.ts"
import { lastBlockBefore } from "./LastBlockBefore.ts"

describe("the last block before a time", () => {
  it("is the one that a look at every block finds, by few questions", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(20), { maxLength: 60 }),
        fc.nat(1_300),
        fc.nat(999),
        (steps, seconds, ms) => {
          const times: Array<number> = []
          for (const step of steps) times.push((times.at(-1) ?? 0) + step)
          const time = seconds * 1_000 + ms
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
