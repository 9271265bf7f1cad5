/** With real keys: the signers of peers' signatures are recovered, not believed. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Address } from "../chain/Address.ts"
import { Hex, Hex32 } from "../encoding/Hex.ts"
import { accountOfKey, recoverDigest, signDigest } from "../encoding/Signature.ts"
import { type Execution, executionDigest, type ExecutionDomain } from "../hub/Execution.ts"
import { type ExecutionSignature, PeerExecution } from "./ExecutionSignature.ts"
import {
  collectSignatures,
  isComplete,
  type LocalAssessment,
  type PeerAnswer,
  sameExecution
} from "./PeerSignatures.ts"

const keyOf = (digit: string) => Hex32.make(`0x${digit.repeat(64)}`)
const execution: Execution = { idempotencyKey: keyOf("e"), actions: [Hex.make("0x01"), Hex.make("0x02")] }
const domain: ExecutionDomain = {
  name: "RelayOracle",
  version: "1",
  chainId: 616100n,
  verifyingContract: `0x${"c1".repeat(20)}`
}

const signedBy = (key: Hex32, on = domain, what = execution): ExecutionSignature => ({
  oracleChainId: on.chainId.toString(),
  oracleContract: Address.make(on.verifyingContract),
  oracleSigner: Result.getOrThrow(accountOfKey(key)),
  signature: Result.getOrThrow(signDigest(Result.getOrThrow(executionDigest(on, what)), key))
})

const local: LocalAssessment = {
  execution,
  domains: [domain],
  signatures: [signedBy(keyOf("1"))],
  recover: recoverDigest
}
const answer = (peer: string, signature: ExecutionSignature, shadow = false): PeerAnswer => ({
  _tag: "Answered",
  peer,
  shadow,
  execution: { ...execution, signatures: [signature] }
})
const anybody = { allowed: undefined, threshold: 2 }
const outcome = (
  given: PeerAnswer,
  policy: { readonly allowed: ReadonlySet<Address> | undefined; readonly threshold: number } = anybody
) => {
  const { measured, signatures, signaturesMissing } = collectSignatures(local, policy, [given])
  return [measured[0]?.outcome, signatures.length, signaturesMissing]
}

describe("peers", () => {
  it("that agree are counted and sorted by signer", () => {
    const collected = collectSignatures(
      local,
      anybody,
      ["2", "3", "4"].map((digit) => answer(digit, signedBy(keyOf(digit))))
    )
    const signers = collected.signatures.map(({ oracleSigner }) => oracleSigner)
    assert.deepStrictEqual(signers, signers.toSorted())
    assert.strictEqual(new Set(signers).size, 4)
    assert.isTrue(isComplete(collected))
  })

  it("are skipped, with the reason, when they do not", () => {
    const genuine = signedBy(keyOf("2"))
    const replayed = signedBy(keyOf("2"), domain, { ...execution, actions: [Hex.make("0x01")] })
    assert.deepStrictEqual(outcome(answer("p", genuine)), ["agrees", 2, 0])
    assert.deepStrictEqual(outcome(answer("p", replayed)), ["wrong-signer", 1, 1])
    assert.deepStrictEqual(outcome(answer("p", { ...genuine, oracleSigner: Address.make(`0x${"aa".repeat(20)}`) })), [
      "wrong-signer",
      1,
      1
    ])
    assert.deepStrictEqual(outcome(answer("p", { ...genuine, oracleChainId: "1" })), ["wrong-domain", 1, 1])
    assert.deepStrictEqual(outcome(answer("p", signedBy(keyOf("2"), { ...domain, version: "2" }))), [
      "wrong-signer",
      1,
      1
    ])
    assert.deepStrictEqual(outcome(answer("p", signedBy(keyOf("1")))), ["already-counted", 1, 1])
    assert.deepStrictEqual(outcome(answer("p", genuine, true)), ["agrees", 1, 1])
    assert.deepStrictEqual(outcome(answer("p", genuine), { allowed: new Set(), threshold: 1 }), ["not-allowed", 1, 0])
    assert.deepStrictEqual(outcome({ _tag: "Failed", peer: "p", shadow: false, why: "timeout" }), ["timeout", 1, 1])
    assert.deepStrictEqual(
      outcome({
        _tag: "Answered",
        peer: "p",
        shadow: false,
        execution: { ...execution, actions: [], signatures: [genuine] }
      }),
      ["disagrees", 1, 1]
    )
  })

  it("that assessed more, less, or the same in another order have not assessed the same", () => {
    const [first, second] = execution.actions as readonly [Hex, Hex]
    for (const actions of [[first], [first, second, second], [second, first], []]) {
      assert.isFalse(sameExecution(execution, { ...execution, actions }))
      assert.isFalse(sameExecution({ ...execution, actions }, execution))
    }
    assert.isTrue(sameExecution(execution, structuredClone(execution)))
  })

  it("answer with data that is decoded, bounded, and canonical afterwards", () => {
    const decode = Schema.decodeUnknownResult(PeerExecution)
    const { oracleChainId, oracleContract, oracleSigner, signature } = signedBy(keyOf("2"))
    const wire = {
      idempotencyKey: execution.idempotencyKey.replace(/e/g, "E"),
      actions: ["0x01", "0x02"],
      signatures: [{ oracleChainId, oracleContract, oracleSigner, signature: `0x${signature.slice(2).toUpperCase()}` }]
    }
    const decoded = Result.getOrThrow(decode(wire))
    assert.deepStrictEqual(outcome({ _tag: "Answered", peer: "p", shadow: false, execution: decoded }), [
      "agrees",
      2,
      0
    ])
    for (
      const garbage of [null, [], {}, { ...wire, actions: "0x" }, {
        ...wire,
        signatures: Array(17).fill(wire.signatures[0])
      }]
    ) {
      assert.isTrue(Result.isFailure(decode(garbage)))
    }
  })
})
