/**
 * Whether those endpoints of a quorum that have answered decide already, so that nobody waits for the others
 * (QUORUM-1).
 *
 * The law: who answers first changes when it is decided, never what. A fact that a majority agrees on stands, whatever
 * comes later. That there is no fact yet stands only when those still missing could not make it one, or have been
 * silent for long: then it may be said too early, and nothing is ever signed on it.
 */
import * as Result from "effect/Result"
import type { Heads } from "../evidence/Finality.ts"
import { isFinal, sameObservation } from "../evidence/SameEvidence.ts"
import type { Observation } from "../evidence/TransactionEvidence.ts"
import { type Agreement, agreeOnEvidence, type EndpointAnswer } from "./AgreeOnEvidence.ts"
import { type EndpointQuorum, isMajority } from "./EndpointQuorum.ts"
import { pinBlock } from "./PinnedBlock.ts"
import type { EndpointsDisagree, TooFewAnswers } from "./QuorumFailure.ts"

/** What an endpoint said of a transaction, before it is known against which heads it is judged. */
export interface EndpointReading {
  readonly heads: Heads
  /** The same evidence as it is at heads that the quorum has pinned. */
  readonly observedAt: (heads: Heads) => Observation
}

/** An endpoint that has been heard of: with its reading, or as one that failed. */
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

/** What all that were heard agree on at the block that they pin. */
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
 * Those whose own heads make the transaction final: at a block that they have reached, more of them cannot come to be.
 */
const finalOnTheirOwn = (heard: ReadonlyArray<Heard>): number =>
  heard.filter(({ reading }) => reading !== undefined && isFinal(reading.observedAt(reading.heads))).length

/** Undefined while it has to be waited for the `missing` endpoints, none of which has answered. */
export const agreeSoFar = (
  quorum: EndpointQuorum,
  heard: ReadonlyArray<Heard>,
  missing: number
): Result.Result<Agreement<Observation>, TooFewAnswers | EndpointsDisagree> | undefined => {
  const agreed = agreeAmong(quorum, heard)
  if (missing === 0) return agreed
  // Below a majority a single dissent refuses, and it may still come.
  if (Result.isFailure(agreed) || !isMajority(quorum)) return undefined
  const isDecided = isFinal(agreed.success.evidence) || finalOnTheirOwn(heard) + missing < quorum.needed
  return isDecided ? agreed : undefined
}

/**
 * What k of a majority agree on although the missing could still change it: what they could change is that there is no
 * fact
 * *yet*, because a fact was decided before. To be said when the missing have had a while to answer. The quorum is the
 * same:
 * the block is pinned, and the evidence agreed on, by k of those that were heard. Undefined while there is no such
 * agreement.
 */
export const standingWithoutMissing = (
  quorum: EndpointQuorum,
  heard: ReadonlyArray<Heard>
): Agreement<Observation> | undefined =>
  isMajority(quorum) ? Result.getOrUndefined(agreeAmong(quorum, heard)) : undefined
