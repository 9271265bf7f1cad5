import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { agreeOnEvidence } from "./AgreeOnEvidence.ts"
import { hostOf, isMajority, makeEndpointQuorum, tolerated } from "./EndpointQuorum.ts"
import { pinBlock } from "./PinnedBlock.ts"

const quorum = (size: number, needed?: number) =>
  Result.getOrThrow(makeEndpointQuorum(Array.from({ length: size }, (_, index) => `n${index}`), needed))
const heads = (host: string, finalHeight: bigint) => ({
  host,
  finalHeight,
  head: { height: finalHeight + 3n, time: 1_000 }
})

describe("hosts", () => {
  it("are machines: paths, keys, schemes, ports, case and a trailing dot are the same one", () => {
    const same = [
      "https://rpc.example/one",
      "https://rpc.example/two?key=3",
      "wss://RPC.Example:444",
      "http://user:pass@rpc.example./"
    ]
    assert.deepStrictEqual([...new Set(same.map(hostOf))], ["rpc.example"])
    assert.notStrictEqual(hostOf("https://eth.rpc.example"), hostOf("https://base.rpc.example"))
  })

  it("on the loopback are distinguished by their ports", () => {
    assert.notStrictEqual(hostOf("http://127.0.0.1:1"), hostOf("http://127.0.0.1:2"))
    assert.strictEqual(hostOf("http://localhost:1/a"), hostOf("http://localhost:1/b"))
    assert.notStrictEqual(hostOf("http://[::1]:1"), hostOf("http://[::1]:2"))
  })

  it("do not exist without a URL", () => {
    for (const text of ["", "rpc.example", "$ETHEREUM_RPC_URL", "https://"]) assert.isUndefined(hostOf(text))
  })
})

describe("quorums", () => {
  it("are more than half unless named", () => {
    assert.deepStrictEqual([1, 2, 3, 4, 5].map((size) => quorum(size).needed), [1, 2, 2, 3, 3])
    assert.deepStrictEqual([1, 2, 3, 4, 5].map((size) => tolerated(quorum(size))), [0, 0, 1, 1, 2])
    assert.isFalse(isMajority(quorum(4, 2)))
    assert.strictEqual(tolerated(quorum(4, 2)), 1)
  })

  it("pin the k-th highest final height; endpoints below it are stale", () => {
    const pinned = Result.getOrThrow(
      pinBlock(quorum(3), [heads("n0", 10n), heads("n1", 12n), heads("n2", 11n), heads("stranger", 99n)])
    )
    assert.deepStrictEqual(pinned, {
      finalHeight: 11n,
      head: { height: 14n, time: 1_000 },
      reached: ["n1", "n2"],
      stale: ["n0"]
    })
    const alone = pinBlock(quorum(3), [heads("n0", 10n)])
    assert.isTrue(Result.isFailure(alone) && alone.failure.answered === 1 && alone.failure.needed === 2)
  })

  it("below a majority refuse any dissent, because there could be as many liars", () => {
    const answers = ["a", "a", "b", "b"].map((evidence, index) => ({
      _tag: "Answer" as const,
      host: `n${index}`,
      evidence
    }))
    const same = (left: string, right: string) => left === right
    const split = agreeOnEvidence(quorum(4, 2), same, answers)
    assert.isTrue(Result.isFailure(split) && split.failure._tag === "EndpointsDisagree")
    assert.isTrue(Result.isFailure(agreeOnEvidence(quorum(4, 2), same, answers.slice(0, 3))))
    assert.isTrue(Result.isSuccess(agreeOnEvidence(quorum(4, 2), same, answers.slice(0, 2))))
  })

  it("name the hosts that disagree, and no URL", () => {
    const answers = ["a", "b"].map((evidence, index) => ({ _tag: "Answer" as const, host: `n${index}`, evidence }))
    const refused = agreeOnEvidence(quorum(3), (left, right) => left === right, answers)
    assert.isTrue(Result.isFailure(refused) && refused.failure.message === "endpoints disagree: n0 against n1")
  })
})
