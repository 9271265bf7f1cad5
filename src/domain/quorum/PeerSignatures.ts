/**
 * Agreement of peers (spec/4 §8): whose signatures under the local execution count.
 *
 * SECURITY: a signature counts only when the peer's key and every action are equal byte for byte to
 * ours, its domain is ours, and it recovers to the signer that it claims; one a signer and hub. What a
 * peer says otherwise is measured and never returned, and never makes the request fail.
 */
import * as Result from "effect/Result"
import type { Address } from "../chain/Address.ts"
import { ethereumAddresses } from "../chain/address/Ethereum.ts"
import type { Hex } from "../chain/Hex.ts"
import { type Execution, executionDigest, type ExecutionDomain } from "../settlement/Execution.ts"
import type { ExecutionSignature, PeerExecution } from "./ExecutionSignature.ts"
import type { PeerPolicy } from "./PeerThreshold.ts"

/** What became of asking one peer. */
export type PeerAnswer =
  | { readonly _tag: "Answered"; readonly peer: string; readonly shadow: boolean; readonly execution: PeerExecution }
  | { readonly _tag: "Failed"; readonly peer: string; readonly shadow: boolean; readonly why: "timeout" | "error" | "garbage" }

/** The local oracle's own part: what it signed, for which hubs, and how signers are recovered. */
export interface LocalAssessment {
  readonly execution: Execution
  readonly domains: ReadonlyArray<ExecutionDomain>
  /** One a hub, all of the local signer. */
  readonly signatures: ReadonlyArray<ExecutionSignature>
  /** The account that signed a digest: `recoverDigest`, or a faster one that is equal to it. */
  readonly recover: (digest: Uint8Array, signature: Hex) => Result.Result<Address, unknown>
}

/** One word a peer, for the metrics. */
export type PeerOutcome =
  | "agrees"
  | "disagrees"
  | "wrong-domain"
  | "wrong-signer"
  | "not-allowed"
  | "already-counted"
  | "no-signature"
  | "timeout"
  | "error"
  | "garbage"

/** What one peer's answer was worth. */
export interface MeasuredPeer {
  readonly peer: string
  readonly shadow: boolean
  readonly outcome: PeerOutcome
}

/** The signatures that count so far, how many are missing, and what each peer did. */
export interface CollectedSignatures {
  /** The local ones and those that count, sorted by signer. */
  readonly signatures: ReadonlyArray<ExecutionSignature>
  /** Signers short of the threshold, on the hub that has fewest. */
  readonly signaturesMissing: number
  readonly measured: ReadonlyArray<MeasuredPeer>
}

/** True when a peer assessed exactly what we did. */
export const sameExecution = (left: Execution, right: Execution): boolean =>
  left.idempotencyKey === right.idempotencyKey &&
  left.actions.length === right.actions.length &&
  left.actions.every((action, index) => action === right.actions[index])

const hubKey = (signature: ExecutionSignature): string => `${signature.oracleChainId} ${signature.oracleContract}`
const signerKey = (signature: ExecutionSignature): string => `${hubKey(signature)} ${signature.oracleSigner}`

/** Our hubs with the digest that is signed for each; a hub that is misconfigured has none. */
const digestsOf = (local: LocalAssessment): ReadonlyMap<string, Uint8Array> => {
  const digests = new Map<string, Uint8Array>()
  for (const domain of local.domains) {
    const digest = executionDigest(domain, local.execution)
    const contract = ethereumAddresses.parse(domain.verifyingContract)
    if (Result.isSuccess(digest) && Result.isSuccess(contract)) {
      digests.set(`${domain.chainId} ${contract.success}`, digest.success)
    }
  }
  return digests
}

const isRecovered = (local: LocalAssessment, digest: Uint8Array, claimed: ExecutionSignature): boolean => {
  const recovered = local.recover(digest, claimed.signature)
  return Result.isSuccess(recovered) && recovered.success === claimed.oracleSigner
}

/** By signer, then by hub. */
const inOrder = (left: ExecutionSignature, right: ExecutionSignature): number => {
  const [before, after] = [left, right].map((each) => `${each.oracleSigner} ${hubKey(each)}`)
  return before === after || before === undefined || after === undefined ? 0 : before < after ? -1 : 1
}

const missing = (counted: ReadonlyArray<ExecutionSignature>, hubs: Iterable<string>, threshold: number): number => {
  const signers = [...hubs].map((hub) => counted.filter((each) => hubKey(each) === hub).length)
  return Math.max(0, threshold - (signers.length === 0 ? 0 : Math.min(...signers)))
}

/** Worst first: a peer with several signatures is measured by the worst of them. */
const severity: ReadonlyArray<PeerOutcome> = ["wrong-signer", "wrong-domain", "not-allowed", "already-counted", "agrees"]

/** The signatures that count out of the local ones and what peers have answered so far. */
export const collectSignatures = (
  local: LocalAssessment,
  policy: PeerPolicy,
  answers: ReadonlyArray<PeerAnswer>
): CollectedSignatures => {
  const digests = digestsOf(local)
  const counted = new Map(local.signatures.map((signature) => [signerKey(signature), signature]))

  const judgeSignature = (claimed: ExecutionSignature, shadow: boolean): PeerOutcome => {
    const digest = digests.get(hubKey(claimed))
    if (digest === undefined) return "wrong-domain"
    if (policy.allowed !== undefined && !policy.allowed.has(claimed.oracleSigner)) return "not-allowed"
    if (counted.has(signerKey(claimed))) return "already-counted"
    if (!isRecovered(local, digest, claimed)) return "wrong-signer"
    if (!shadow) counted.set(signerKey(claimed), claimed)
    return "agrees"
  }

  const measure = (answer: PeerAnswer): PeerOutcome => {
    if (answer._tag === "Failed") return answer.why
    if (!sameExecution(local.execution, answer.execution)) return "disagrees"
    const outcomes = answer.execution.signatures.map((claimed) => judgeSignature(claimed, answer.shadow))
    return severity.find((outcome) => outcomes.includes(outcome)) ?? "no-signature"
  }

  const measured = answers.map((answer) => ({ peer: answer.peer, shadow: answer.shadow, outcome: measure(answer) }))
  const signatures = [...counted.values()].toSorted(inOrder)
  return { signatures, signaturesMissing: missing(signatures, digests.keys(), policy.threshold), measured }
}

/** True when no further answer is needed: as many signers as the threshold asks for, for every hub. */
export const isComplete = (collected: CollectedSignatures): boolean => collected.signaturesMissing === 0
