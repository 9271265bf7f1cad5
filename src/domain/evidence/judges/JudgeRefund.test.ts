/** The amount due by a refund option whose minimum is zero or scales to zero (CLAIM-4). */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { refundDue } from "./JudgeRefund.ts"
import { DIFF_SCALE } from "./SettledInputs.ts"

const due = (minimum: bigint, diff: bigint) =>
  Result.match(refundDue(minimum, diff), { onSuccess: (units) => units, onFailure: ({ reason }) => reason })

describe("the amount due for a refund", () => {
  it("is one unit when the minimum is zero, for any deposit", () => {
    for (const diff of [-DIFF_SCALE, -1n, 0n, 1n, DIFF_SCALE * 5n]) assert.strictEqual(due(0n, diff), 1n)
  })

  it("is refused where the minimum comes to zero", () => {
    for (const minimum of [1n, 2n, 10n ** 18n]) assert.strictEqual(due(minimum, -DIFF_SCALE), "zero-refund")
  })

  it("is never less than one unit, nor than the minimum's share", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 30n), fc.bigInt(-DIFF_SCALE, 10n * DIFF_SCALE), (minimum, diff) => {
        const units = due(minimum, diff)
        if (typeof units === "string") return assert.isTrue(minimum > 0n && diff === -DIFF_SCALE)
        // The adjustment is truncated toward zero. The due amount is less than a unit above the exact one when too
        // little was deposited, and less than a unit below it when too much was.
        const off = minimum === 0n ? 0n : units * DIFF_SCALE - minimum * (DIFF_SCALE + diff)
        assert.isTrue(units >= 1n && off > -DIFF_SCALE && off < DIFF_SCALE && (diff > 0n || off >= 0n))
      }),
      { numRuns: inputs(2_000) }
    )
  })
})
