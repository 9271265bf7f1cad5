/** Which parts of a peer's answer are read, and when it is too large. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { decodePeerReply } from "./PeerReply.ts"

const signature = {
  oracleChainId: "1",
  oracleContract: `0x${"c1".repeat(20)}`,
  oracleSigner: `0x${"51".repeat(20)}`,
  signature: `0x${"ab".repeat(65)}`
}
const execution = { idempotencyKey: `0x${"ee".repeat(32)}`, actions: ["0x01"], signatures: [signature] }

/** Fails when any member is read: lists must be counted before they are decoded. */
const untouchable = (length: number): ReadonlyArray<unknown> =>
  new Proxy(Array.from({ length }), {
    get: (list, name) => name === "length" ? list.length : assert.fail(`member ${String(name)} was read`)
  })

describe("a peer's reply", () => {
  it("is its execution and whether it is a shadow; everything else is ignored", () => {
    const reply = Result.getOrThrow(decodePeerReply({ message: 1, execution: { ...execution, metadata: [] } }))
    assert.deepStrictEqual<unknown>(reply, { execution, isShadow: false })
    assert.deepStrictEqual(Result.getOrThrow(decodePeerReply({ messages: [], shadow: true })), {
      execution: undefined,
      isShadow: true
    })
  })

  it("is counted before it is decoded", () => {
    for (const [actions, signatures, fits] of [[1_024, 16, true], [1_025, 1, false], [1, 17, false]] as const) {
      const body = {
        execution: {
          ...execution,
          actions: Array.from({ length: actions }, () => "0x"),
          signatures: Array.from({ length: signatures }, () => signature)
        }
      }
      assert.strictEqual(Result.isSuccess(decodePeerReply(body)), fits, `${actions} actions, ${signatures} signatures`)
    }
    for (const name of ["actions", "signatures"]) {
      assert.isTrue(Result.isFailure(decodePeerReply({ execution: { ...execution, [name]: untouchable(2_000) } })))
    }
  })

  it("is a reply or refused, for any JSON", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue(),
          fc.jsonValue().map((value) => ({ execution: value })),
          fc.jsonValue().map((actions) => ({ execution: { ...execution, actions } }))
        ),
        (body) => {
          const reply = decodePeerReply(body)
          if (Result.isFailure(reply)) assert.strictEqual(reply.failure._tag, "NoPeerReply")
        }
      ),
      { numRuns: inputs(1_000, 50_000) }
    )
  })
})
