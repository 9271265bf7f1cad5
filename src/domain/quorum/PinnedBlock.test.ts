/** Where a quorum reads when hosts have several endpoints, and the effect of a host that is behind (QUORUM-2). */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { makeEndpointQuorum } from "./EndpointQuorum.ts"
import { pinBlock, type ReportedHeads } from "./PinnedBlock.ts"

const quorum = (needed: number) => Result.getOrThrow(makeEndpointQuorum(["a", "b", "c"], needed))
const report = (host: string, finalHeight: bigint, height: bigint, time: number): ReportedHeads => ({
  host,
  finalHeight,
  head: { height, time }
})
const pinned = (needed: number, ...reports: ReadonlyArray<ReportedHeads>) =>
  Result.getOrThrow(pinBlock(quorum(needed), reports))

describe("the pinned block", () => {
  it("of a host with several endpoints is the lowest of each figure", () => {
    const low = report("a", 10n, 22n, 1_000)
    const high = report("a", 12n, 20n, 1_004)
    const least = { finalHeight: 10n, head: { height: 20n, time: 1_000 }, reached: ["a"], stale: [] }
    assert.deepStrictEqual(pinned(1, low, high), least)
    assert.deepStrictEqual(pinned(1, high, low), least)
    assert.deepStrictEqual(pinned(1, high, low, high), least)
    assert.deepStrictEqual(pinned(1, low, low), {
      finalHeight: 10n,
      head: { height: 22n, time: 1_000 },
      reached: ["a"],
      stale: []
    })
  })

  it("takes the k-th highest of each figure separately, in any order of reports", () => {
    const reports = [report("a", 9n, 30n, 1_002), report("b", 11n, 10n, 1_001), report("c", 10n, 20n, 1_003)]
    const expected = [
      { finalHeight: 11n, head: { height: 30n, time: 1_003 } },
      { finalHeight: 10n, head: { height: 20n, time: 1_002 } },
      { finalHeight: 9n, head: { height: 10n, time: 1_001 } }
    ]
    for (const turned of [reports, reports.toReversed(), [reports[1]!, reports[0]!, reports[2]!]]) {
      for (const needed of [1, 2, 3]) {
        const { finalHeight, head } = pinned(needed, ...turned)
        assert.deepStrictEqual({ finalHeight, head }, expected[needed - 1])
      }
    }
  })

  it("holds when hosts are equal, and when nothing is final", () => {
    const same = ["a", "b", "c"].map((host) => report(host, 7n, 9n, 1_000))
    assert.deepStrictEqual(pinned(2, ...same).reached, ["a", "b", "c"])
    assert.deepStrictEqual(pinned(2, report("a", -1n, 3n, 1), report("b", -1n, 4n, 2)), {
      finalHeight: -1n,
      head: { height: 3n, time: 1 },
      reached: ["a", "b"],
      stale: []
    })
  })

  it("is undefined when too few hosts of the quorum reported, however many endpoints did", () => {
    const refused = pinBlock(quorum(2), [report("a", 1n, 1n, 1), report("a", 2n, 2n, 2), report("stranger", 3n, 3n, 3)])
    assert.isTrue(Result.isFailure(refused) && refused.failure._tag === "TooFewAnswers")
    assert.strictEqual(Result.isFailure(refused) ? refused.failure.message : "", "1 of 2 endpoints answered")
  })
})
