/**
 * Agreement of peers (PEER-2): which signatures under the local execution count.
 *
 * SECURITY: a signature counts only when the peer's key and every action are equal byte for byte to ours, its domain is
 * ours, and it recovers to the signer that it claims; one per signer and hub. A peer speaks for one signer: an answer
 * that claims several for a hub counts for none there, because otherwise one hostile peer alone could reach a
 * threshold. Anything else that a peer says is measured, never returned, and never makes the request fail.
 */
import * as Result from "effect/Result"
import type { Address } from "../chain/Address.ts"
import { protocolAccounts } from "../chain/ProtocolAccounts.ts"
import type { Hex } from "../encoding/Hex.ts"
import { type Execution, executionDigest, type ExecutionDomain } from "../hub/Execution.ts"
import type { ExecutionSignature, PeerExecution } from "./ExecutionSignature.ts"
import type { PeerPolicy } from "./PeerThreshold.ts"

/** Why a peer gave no answer that could be compared. */
export type PeerFault =
  | "timeout"
  /** No connection, or an answer that was neither an attestation nor one of the refusals below. */
  | "error"
  /** Not a valid answer, or one that is too large. */
  | "garbage"
  /** It does not attest the claim, or not yet. */
  | "refused"
  /** It does not accept our key. */
  | "unauthorized"

/** The result of asking one peer. */
export type PeerAnswer =
  /** Without an execution when the peer saw nothing to execute. */
  | {
    readonly _tag: "Answered"
    readonly peer: string
    readonly shadow: boolean
    readonly execution: PeerExecution | undefined
  }
  | { readonly _tag: "Failed"; readonly peer: string; readonly shadow: boolean; readonly why: PeerFault }

/** The local oracle's own part: what it signed, for which hubs, and how signers are recovered. */
export interface LocalAssessment {
  readonly execution: Execution
  readonly domains: ReadonlyArray<ExecutionDomain>
  /** One a hub, all of the local signer. */
  readonly signatures: ReadonlyArray<ExecutionSignature>
  /** The account that signed a digest: `recoverDigest`, or a faster one that is equal to it. */
  readonly recover: (digest: Uint8Array, signature: Hex) => Result.Result<Address, unknown>
}

/** A peer's outcome in one word, for the metrics. */
export type PeerOutcome =
  | "agrees"
  | "disagrees"
  | "several-signers"
  | "wrong-domain"
  | "wrong-signer"
  | "not-allowed"
  | "already-counted"
  | "no-signature"
  | PeerFault

/** The measured result of one peer's answer. */
export interface MeasuredPeer {
  readonly peer: string
  readonly shadow: boolean
  readonly outcome: PeerOutcome
}

/** The signatures that count so far, how many are missing, and what each peer did. */
export interface CollectedSignatures {
  /** The local ones and those that count, sorted by signer. */
  readonly signatures: ReadonlyArray<ExecutionSignature>
  /** How many signers are missing from the threshold, on the hub with the fewest. */
  readonly signaturesMissing: number
  readonly measured: ReadonlyArray<MeasuredPeer>
}

/** A collection in progress: answers are judged one by one, each once, as they arrive. */
export interface CollectingSignatures extends CollectedSignatures {
  readonly hear: (answer: PeerAnswer) => CollectingSignatures
}

/** True when a peer assessed exactly what we did. */
export const sameExecution = (left: Execution, right: Execution): boolean =>
  left.idempotencyKey === right.idempotencyKey &&
  left.actions.length === right.actions.length &&
  left.actions.every((action, index) => action === right.actions[index])

const hubKey = (signature: ExecutionSignature): string => `${signature.oracleChainId} ${signature.oracleContract}`
const signerKey = (signature: ExecutionSignature): string => `${hubKey(signature)} ${signature.oracleSigner}`

/** Our hubs with the digest to sign for each; a misconfigured hub has none. */
const digestsOf = (local: LocalAssessment): ReadonlyMap<string, Uint8Array> => {
  const digests = new Map<string, Uint8Array>()
  for (const domain of local.domains) {
    const digest = executionDigest(domain, local.execution)
    const contract = protocolAccounts.parse(domain.verifyingContract)
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
const severity: ReadonlyArray<PeerOutcome> = [
  "wrong-signer",
  "several-signers",
  "wrong-domain",
  "not-allowed",
  "already-counted",
  "agrees"
]

type Counted = ReadonlyMap<string, ExecutionSignature>

/** The hubs for which one answer claims more than one signer. */
const contestedHubs = (claimed: ReadonlyArray<ExecutionSignature>): ReadonlySet<string> => {
  const signers = Map.groupBy(claimed, hubKey)
  return new Set(
    [...signers].filter(([, all]) => all.some(({ oracleSigner }) => oracleSigner !== all[0]?.oracleSigner)).map((
      [hub]
    ) => hub)
  )
}

/** Starts with only the local signatures. */
export const collectingSignatures = (local: LocalAssessment, policy: PeerPolicy): CollectingSignatures => {
  const digests = digestsOf(local)

  const judge = (
    claimed: ExecutionSignature,
    shadow: boolean,
    contested: ReadonlySet<string>,
    counted: Counted
  ): PeerOutcome => {
    const digest = digests.get(hubKey(claimed))
    if (digest === undefined) return "wrong-domain"
    if (contested.has(hubKey(claimed))) return "several-signers"
    // A shadow is measured before its signatures are relied on.
    if (!shadow && policy.allowed !== undefined && !policy.allowed.has(claimed.oracleSigner)) return "not-allowed"
    if (counted.has(signerKey(claimed))) return "already-counted"
    return isRecovered(local, digest, claimed) ? "agrees" : "wrong-signer"
  }

  const measure = (answer: PeerAnswer, counted: Counted): readonly [PeerOutcome, Counted] => {
    if (answer._tag === "Failed") return [answer.why, counted]
    if (answer.execution === undefined || !sameExecution(local.execution, answer.execution)) {
      return ["disagrees", counted]
    }
    const contested = contestedHubs(answer.execution.signatures)
    const more = new Map(counted)
    const outcomes = answer.execution.signatures.map((claimed) => {
      const outcome = judge(claimed, answer.shadow, contested, more)
      if (outcome === "agrees" && !answer.shadow) more.set(signerKey(claimed), claimed)
      return outcome
    })
    return [severity.find((outcome) => outcomes.includes(outcome)) ?? "no-signature", more]
  }

  const collecting = (counted: Counted, measured: ReadonlyArray<MeasuredPeer>): CollectingSignatures => {
    const signatures = [...counted.values()].toSorted(inOrder)
    return {
      signatures,
      signaturesMissing: missing(signatures, digests.keys(), policy.threshold),
      measured,
      hear: (answer) => {
        const [outcome, more] = measure(answer, counted)
        return collecting(more, [...measured, { peer: answer.peer, shadow: answer.shadow, outcome }])
      }
    }
  }

  return collecting(new Map(local.signatures.map((signature) => [signerKey(signature), signature])), [])
}

/** The signatures that count out of the local ones and what peers have answered so far. */
export const collectSignatures = (
  local: LocalAssessment,
  policy: PeerPolicy,
  answers: ReadonlyArray<PeerAnswer>
): CollectedSignatures => {
  const { measured, signatures, signaturesMissing } = answers.reduce(
    (collecting, answer) => collecting.hear(answer),
    collectingSignatures(local, policy)
  )
  return { signatures, signaturesMissing, measured }
}

/** True when no further answer is needed: as many signers as the threshold asks for, for every hub. */
export const isComplete = (collected: CollectedSignatures): boolean => collected.signaturesMissing === 0
