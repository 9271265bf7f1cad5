import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { isGivenUp, retryDelayOf, recheckAt, reconnectDelayOf } from "./RecheckDelay.ts"

const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe("when a settlement is rechecked", () => {
  it("waits longer each time, up to ten minutes, and never long for an unreachable dependency", () => {
    fc.assert(
      fc.property(fc.nat(2_000), unit, (attempts, spread) => {
        assert.isAtLeast(retryDelayOf(attempts, spread), 500)
        assert.isAtMost(retryDelayOf(attempts, spread), 600_000)
        assert.isAtLeast(retryDelayOf(attempts + 1, spread), retryDelayOf(attempts, spread))
        assert.isAtMost(reconnectDelayOf(spread), 5_000)
        assert.isAtLeast(reconnectDelayOf(spread), 2_500)
      }),
      { numRuns: inputs(1_000, 20_000) }
    )
  })

  it("rechecks a settled deposit a bounded number of times, each later than the one before", () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(fc.nat(100_000_000), { maxLength: 5 }), (settledAt, delays) => {
        let now = settledAt
        let looks = 0
        let next = recheckAt(settledAt, now)
        while (next !== undefined) {
          assert.isAbove(next, now)
          // The recheck runs late, by any delay.
          now = next + (delays[looks] ?? 0)
          looks += 1
          next = recheckAt(settledAt, now)
        }
        assert.isAtLeast(looks, 1)
        assert.isAtMost(looks, 2)
        // The first recheck finds the effect of a reorg within minutes. Without delays there is another one after a
        // day.
        if (delays.length === 0) assert.isAtLeast(now - settledAt, 86_400_000)
      }),
      { numRuns: inputs(1_000, 20_000) }
    )
  })

  it("gives up only for this service's own readings, and only after a week of attempts", () => {
    const others = [
      "not-final",
      "oracles-not-yet",
      "oracles-unavailable",
      "signatures-missing",
      "hub-not-final",
      "hub-busy",
      "timeout",
      "defect",
      "not-carried-out"
    ]
    for (const reason of others) assert.isFalse(isGivenUp(reason, 1_000_000), reason)
    for (const reason of ["chain-not-served", "deposit-open", "payment-open", "not-found", "unread"]) {
      assert.isFalse(isGivenUp(reason, 999), reason)
      assert.isTrue(isGivenUp(reason, 1_000), reason)
    }
    let spent = 0
    for (let attempts = 0; attempts < 1_000; attempts += 1) spent += retryDelayOf(attempts, 0)
    assert.isAbove(spent, 3 * 86_400_000)
  })
})
