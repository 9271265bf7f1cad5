/**
 * Whether the endpoints of a quorum that have answered already decide, so that the caller need not wait for the others
 * (QUORUM-1).
 *
 * The law: the order of answers changes when the quorum decides, never what it decides. A fact that a majority agrees
 * on holds, whatever arrives later. That there is no fact yet is decided only when the missing endpoints could not make
 * it a fact, or have been silent for long. In the second case the decision may be premature, but nothing is ever signed
 * on it.
 */
import * as Result from "effect/Result"
import type { Heads } from "../evidence/Finality.ts"
import { isFinal, sameObservation } from "../evidence/SameEvidence.ts"
import type { Observation } from "../evidence/TransactionEvidence.ts"
import { type Agreement, agreeOnEvidence, type EndpointAnswer } from "./AgreeOnEvidence.ts"
import { type EndpointQuorum, isMajority } from "./EndpointQuorum.ts"
import { pinBlock } from "./PinnedBlock.ts"
import type { EndpointsDisagree, TooFewAnswers } from "./QuorumFailure.ts"

/** An endpoint's reading of a transaction, before the heads that it is judged against are known. */
export interface EndpointReading {
  readonly heads: Heads
  /** The same evidence as seen at heads that the quorum has pinned. */
  readonly observedAt: (heads: Heads) => Observation
}

/** An endpoint that has answered with a reading, or has failed. */
export interface Heard {
  readonly host: string
  /** Undefined when it gave no reading. */
  readonly reading: EndpointReading | undefined
}

const answerOf = (
  { host, reading }: Heard,
  reached: ReadonlyArray<string>,
  heads: Heads
): EndpointAnswer<Observation> => {
  if (reading === undefined) return { _tag: "Failed", host }
  return reached.includes(host)
    ? { _tag: "Answer", host, evidence: reading.observedAt(heads) }
    : { _tag: "Stale", host }
}

/** The agreement of all endpoints heard so far, at the block that they pin. */
export const agreeAmong = (
  quorum: EndpointQuorum,
  heard: ReadonlyArray<Heard>
): Result.Result<Agreement<Observation>, TooFewAnswers | EndpointsDisagree> =>
  Result.flatMap(
    pinBlock(quorum, heard.flatMap(({ host, reading }) => reading === undefined ? [] : [{ host, ...reading.heads }])),
    ({ finalHeight, head, reached }) =>
      agreeOnEvidence(quorum, sameObservation, heard.map((each) => answerOf(each, reached, { finalHeight, head })))
  )

/**
 * The number of endpoints whose own heads make the transaction final; at a block that they have reached, it cannot
 * grow.
 */
const finalOnTheirOwn = (heard: ReadonlyArray<Heard>): number =>
  heard.filter(({ reading }) => reading !== undefined && isFinal(reading.observedAt(reading.heads))).length

/** Undefined while the caller must wait for the `missing` endpoints, none of which has answered. */
export const agreeSoFar = (
  quorum: EndpointQuorum,
  heard: ReadonlyArray<Heard>,
  missing: number
): Result.Result<Agreement<Observation>, TooFewAnswers | EndpointsDisagree> | undefined => {
  // So few cannot agree. Their failure is not worth making.
  if (missing > 0 && heard.length < quorum.needed) return undefined
  const agreed = agreeAmong(quorum, heard)
  if (missing === 0) return agreed
  // Below a majority a single disagreement refuses, and one may still arrive.
  if (Result.isFailure(agreed) || !isMajority(quorum)) return undefined
  const isDecided = isFinal(agreed.success.evidence) || finalOnTheirOwn(heard) + missing < quorum.needed
  return isDecided ? agreed : undefined
}

/**
 * What k of a majority agree on, although the missing endpoints could still change it. They could only change that
 * there is no fact *yet*, because a fact would have been decided before. To be used once the missing endpoints have had
 * some time to answer. The quorum is the same: k of those heard pin the block and agree on the evidence. Undefined
 * while there is no such agreement.
 */
export const standingWithoutMissing = (
  quorum: EndpointQuorum,
  heard: ReadonlyArray<Heard>
): Agreement<Observation> | undefined =>
  isMajority(quorum) ? Result.getOrUndefined(agreeAmong(quorum, heard)) : undefined
