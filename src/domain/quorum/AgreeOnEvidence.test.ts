/** Which hosts have a vote, which disagree, and what is reported when there is no agreement (QUORUM-4). */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { agreeOnEvidence, type EndpointAnswer } from "./AgreeOnEvidence.ts"
import { hostOf, makeEndpointQuorum } from "./EndpointQuorum.ts"

const quorum = (size: number, needed?: number) =>
  Result.getOrThrow(makeEndpointQuorum(Array.from({ length: size }, (_, index) => `n${index}`), needed))
const says = (index: number, evidence: string): EndpointAnswer<string> => ({
  _tag: "Answer",
  host: `n${index}`,
  evidence
})
const agree = (size: number, needed: number | undefined, ...answers: ReadonlyArray<EndpointAnswer<string>>) =>
  agreeOnEvidence(quorum(size, needed), (left, right) => left === right, answers)
const messageOf = <A, E extends { readonly message: string }>(result: Result.Result<A, E>) =>
  Result.isFailure(result) ? result.failure.message : "agreed"

describe("agreement", () => {
  it("goes to the most votes, also when they come last; the others are named", () => {
    assert.deepStrictEqual(
      agree(5, undefined, says(0, "b"), says(1, "c"), says(2, "a"), says(3, "a"), says(4, "a")),
      Result.succeed({
        evidence: "a",
        agreeing: ["n2", "n3", "n4"],
        dissenting: ["n0", "n1"]
      })
    )
  })

  it("counts a host whose other endpoint failed or is stale", () => {
    const answers = [{ _tag: "Failed", host: "n0" }, says(0, "a"), { _tag: "Stale", host: "n1" }, says(1, "a")] as const
    assert.deepStrictEqual(
      agree(3, undefined, ...answers),
      Result.succeed({ evidence: "a", agreeing: ["n0", "n1"], dissenting: [] })
    )
  })

  it("does not count a host that contradicts itself, and names it", () => {
    assert.deepStrictEqual(
      agree(3, undefined, says(0, "a"), says(1, "a"), says(2, "a"), says(2, "b")),
      Result.succeed({
        evidence: "a",
        agreeing: ["n0", "n1"],
        dissenting: ["n2"]
      })
    )
  })

  it("that fails reports how many answered, or which hosts disagree", () => {
    assert.strictEqual(messageOf(agree(3, undefined, says(0, "a"))), "1 of 2 endpoints answered")
    assert.strictEqual(messageOf(agree(3, undefined)), "0 of 2 endpoints answered")
    assert.strictEqual(
      messageOf(agree(5, undefined, says(0, "a"), says(1, "a"), says(2, "b"))),
      "endpoints disagree: n0, n1 against n2"
    )
  })

  it("that is impossible is refused by name", () => {
    for (const needed of [0, 4, 1.5]) {
      const refused = makeEndpointQuorum(["n0", "n1", "n2"], needed)
      assert.isTrue(Result.isFailure(refused) && refused.failure._tag === "ImpossibleQuorum")
      assert.strictEqual(messageOf(refused), `a quorum of ${needed} among 3 is impossible`)
    }
  })
})

describe("machines", () => {
  it("on the loopback are distinguished by port, others are not", () => {
    for (const name of ["localhost", "127.0.0.1", "127.100.200.255"]) {
      assert.notStrictEqual(hostOf(`http://${name}:1`), hostOf(`http://${name}:2`), name)
    }
    for (const name of ["127.0.0.1.example", "localhost.example", "10.0.0.1"]) {
      assert.strictEqual(hostOf(`http://${name}:1`), hostOf(`http://${name}:2`), name)
    }
  })

  it("do not exist where a URL names none", () => assert.isUndefined(hostOf("file:///etc/hosts")))
})
