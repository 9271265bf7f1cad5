/** The required threshold when hubs are missing, when there are no signatures, and when a policy is made (PEER-6). */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Address } from "../chain/Address.ts"
import { Hex, Hex32 } from "../encoding/Hex.ts"
import type { Execution, ExecutionDomain } from "../hub/Execution.ts"
import { ExecutionSignature } from "./ExecutionSignature.ts"
import { collectSignatures, isComplete, type LocalAssessment, type PeerAnswer } from "./PeerSignatures.ts"
import { makePeerPolicy } from "./PeerThreshold.ts"

const account = (digit: string) => Address.make(`0x${digit.repeat(40)}`)
const execution: Execution = { idempotencyKey: Hex32.make(`0x${"e".repeat(64)}`), actions: [Hex.make("0x01")] }
const hub = (chainId: bigint, contract = "c"): ExecutionDomain => ({
  name: "RelayOracle",
  version: "1",
  chainId,
  verifyingContract: `0x${contract.repeat(40)}`
})
const signed = (digit: string, chainId: bigint): ExecutionSignature => ({
  oracleChainId: chainId.toString(),
  oracleContract: account("c"),
  oracleSigner: account(digit),
  signature: Hex.make(`0x${digit.repeat(130)}`)
})
/** Believes the signer that a signature claims: its first byte is the signer's digit. */
const local = (
  domains: ReadonlyArray<ExecutionDomain>,
  signatures: ReadonlyArray<ExecutionSignature>
): LocalAssessment => ({
  execution,
  domains,
  signatures,
  recover: (_, signature) => Result.succeed(account(signature.slice(2, 3)))
})
const answered = (...signatures: ReadonlyArray<ExecutionSignature>): PeerAnswer => ({
  _tag: "Answered",
  peer: "p",
  shadow: false,
  execution: { ...execution, signatures }
})
const two = { allowed: undefined, threshold: 2 }

describe("the threshold", () => {
  it("is missed wholly where there is no hub, or its contract is no account: no signature counts", () => {
    for (const domains of [[], [{ ...hub(1n), verifyingContract: "0xnone" }]]) {
      const collected = collectSignatures(local(domains, []), two, [answered(signed("2", 1n))])
      assert.strictEqual(collected.signaturesMissing, 2)
      assert.isFalse(isComplete(collected))
      assert.deepStrictEqual(collected.measured.map(({ outcome }) => outcome), ["wrong-domain"])
    }
  })

  it("counts on the hub that has fewest, and sorts by signer, then by hub", () => {
    const assessment = local([hub(2n), hub(1n)], [signed("5", 2n), signed("5", 1n)])
    const collected = collectSignatures(assessment, two, [
      answered(signed("2", 2n)),
      answered(signed("7", 2n), signed("7", 1n))
    ])
    assert.deepStrictEqual(
      collected.signatures.map(({ oracleChainId, oracleSigner }) => `${oracleSigner.slice(2, 3)} ${oracleChainId}`),
      ["2 2", "5 1", "5 2", "7 1", "7 2"]
    )
    assert.strictEqual(collected.signaturesMissing, 0)
    assert.strictEqual(collectSignatures(assessment, two, [answered(signed("2", 2n))]).signaturesMissing, 1)
  })

  it("does not count peers that agree on the actions under another key", () => {
    const other: PeerAnswer = {
      _tag: "Answered",
      peer: "p",
      shadow: false,
      execution: { ...execution, idempotencyKey: Hex32.make(`0x${"d".repeat(64)}`), signatures: [signed("2", 1n)] }
    }
    const collected = collectSignatures(local([hub(1n)], [signed("5", 1n)]), two, [other])
    assert.deepStrictEqual(collected.measured.map(({ outcome }) => outcome), ["disagrees"])
    assert.strictEqual(collected.signaturesMissing, 1)
  })

  it("does not count an answer without signatures, which is measured as such", () => {
    const collected = collectSignatures(local([hub(1n)], [signed("5", 1n)]), two, [answered()])
    assert.deepStrictEqual(collected.measured, [{ peer: "p", shadow: false, outcome: "no-signature" }])
    assert.isFalse(isComplete(collected))
  })
})

describe("a policy", () => {
  it("keeps who is allowed and how many are needed", () => {
    const allowed = new Set([account("2")])
    assert.deepStrictEqual(makePeerPolicy(account("5"), 3, allowed, 2), Result.succeed({ allowed, threshold: 2 }))
    assert.deepStrictEqual(
      makePeerPolicy(account("5"), 3, undefined),
      Result.succeed({ allowed: undefined, threshold: 1 })
    )
  })

  it("that needs more signers than there can be is impossible; the local one counts once", () => {
    const refused = makePeerPolicy(account("5"), 3, new Set([account("5"), account("2")]), 3)
    assert.isTrue(Result.isFailure(refused) && refused.failure.available === 2 && refused.failure.needed === 3)
  })
})

describe("a signature", () => {
  it("names its hub by a canonical decimal number", () => {
    const decode = Schema.decodeUnknownResult(ExecutionSignature)
    const named = (oracleChainId: string) => ({ ...signed("2", 1n), oracleChainId })
    for (const good of ["0", "7", "10", "616100"]) assert.isTrue(Result.isSuccess(decode(named(good))), good)
    for (const bad of ["", "01", "1x", "x1", "-1", "1.0", " 1", "9".repeat(79)]) {
      assert.isTrue(Result.isFailure(decode(named(bad))), bad)
    }
  })
})
