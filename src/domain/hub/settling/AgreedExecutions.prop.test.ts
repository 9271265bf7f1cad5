import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { Hex32 } from "../../encoding/Hex.ts"
import { agreedExecutions } from "./AgreedExecutions.ts"
import type { ExecutionState } from "./AgreedExecutions.ts"

const key = Hex32.make(`0x${"01".repeat(32)}`)
const other = Hex32.make(`0x${"02".repeat(32)}`)
const states: ReadonlyArray<ExecutionState> = ["open", "carried-out", "final"]
const state = fc.constantFrom(...states)

describe("executions under a quorum", () => {
  it("never contain an execution that no honest endpoint has seen, with as many dishonest ones as a majority tolerates", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 7 }).chain((n) => {
          const needed = Math.floor(n / 2) + 1
          return fc.integer({ min: 0, max: n - needed }).chain((liars) =>
            fc.record({
              needed: fc.constant(needed),
              lies: fc.array(state, { minLength: liars, maxLength: liars }),
              truths: fc.array(state, { minLength: n - liars, maxLength: n - liars }),
              heard: fc.integer({ min: 0, max: n })
            })
          )
        }),
        ({ heard, lies, needed, truths }) => {
          const said = [...lies, ...truths].slice(0, heard).map((each) => new Map([[key, each]]))
          const agreed = agreedExecutions([key], said, needed)?.get(key)
          if (agreed === undefined) return
          const rank = (each: ExecutionState) => states.indexOf(each)
          if (agreed === "open") assert.include(truths, "open")
          else assert.isTrue(truths.some((truth) => rank(truth) >= rank(agreed)))
          if (truths.every((truth) => truth === truths[0]) && truths[0] !== "carried-out") {
            assert.isTrue(agreed === truths[0] || (truths[0] === "final" && agreed === "carried-out"))
          }
        }
      ),
      { numRuns: inputs(5_000, 100_000) }
    )
  })

  it("equal what honest endpoints in agreement report, and wait for them while they differ", () => {
    const said = (...all: ReadonlyArray<ExecutionState>) =>
      all.map((each) => new Map([[key, each], [other, "open" as const]]))
    assert.deepStrictEqual(
      agreedExecutions([key, other], said("final", "open", "final"), 2),
      new Map<Hex32, ExecutionState>([[key, "final"], [other, "open"]])
    )
    assert.strictEqual(agreedExecutions([key], said("final", "carried-out"), 2)?.get(key), "carried-out")
    assert.isUndefined(agreedExecutions([key], said("final", "open"), 2))
    assert.isUndefined(agreedExecutions([key, Hex32.make(`0x${"03".repeat(32)}`)], said("final", "final"), 2))
    assert.deepStrictEqual(agreedExecutions([], [], 2), new Map())
  })
})
