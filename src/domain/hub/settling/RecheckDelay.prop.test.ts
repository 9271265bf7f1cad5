import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { isGivenUp, reconnectAt, retryDelayOf, recheckAt } from "./RecheckDelay.ts"

const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe("when a settlement is rechecked", () => {
  it("waits longer each time, up to ten minutes", () => {
    fc.assert(
      fc.property(fc.nat(2_000), unit, (attempts, spread) => {
        assert.isAtLeast(retryDelayOf(attempts, spread), 500)
        assert.isAtMost(retryDelayOf(attempts, spread), 600_000)
        assert.isAtLeast(retryDelayOf(attempts + 1, spread), retryDelayOf(attempts, spread))
      }),
      { numRuns: inputs(1_000, 20_000) }
    )
  })

  it("never waits long for an unreachable dependency, and all that find it away within a second or two wait for one moment", () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(fc.nat(1_999), { maxLength: 20 }), (start, delays) => {
        for (const delay of delays) {
          assert.isAtLeast(reconnectAt(start + delay) - (start + delay), 1_000)
          assert.isBelow(reconnectAt(start + delay) - (start + delay), 6_000)
        }
        assert.isAtMost(new Set(delays.map((delay) => reconnectAt(start + delay))).size, 2)
        // They have met once they have waited: all see the same next moment.
        const met = reconnectAt(start)
        assert.isAtMost(new Set(delays.map((delay) => reconnectAt(met + delay))).size, 1)
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
