/**
 * Whether a quorum of a chain's endpoints agrees on something that money depends on (QUORUM-5): a deposit, a payment, a
 * final block.
 *
 * Unlike evidence for an attestation, a reading may concern something that is not final yet. An endpoint that knows
 * less than the others may just be late. So a contradiction counts at once only when no later block can explain it, and
 * otherwise only when it lasts (`judgeContradiction`).
 *
 * Guarantee: with fewer than `needed` endpoints telling the same lie, no lie is agreed on. Liars can delay a decision,
 * never make one.
 */
import * as Result from "effect/Result"
import { agreeOnEvidence } from "./AgreeOnEvidence.ts"
import type { EndpointAnswer } from "./AgreeOnEvidence.ts"
import { isMajority } from "./EndpointQuorum.ts"
import type { EndpointQuorum } from "./EndpointQuorum.ts"
import type { EndpointsDisagree, TooFewAnswers } from "./QuorumFailure.ts"

/**
 * How much an answer claims. `lasting`: no later block changes it. `proven`: the answer follows from the chain's own
 * blocks and is not a lack of data. `open`: a later block may change it.
 */
export type Claim = "lasting" | "proven" | "open"

/** How answers of one kind are compared and put together. */
export interface ReadingRule<A> {
  /** True when two answers agree, even if one endpoint has seen more blocks on top. */
  readonly same: (left: A, right: A) => boolean
  /**
   * Combines at least `needed` agreeing answers into one that `needed` endpoints support, for example the depth that so
   * many have seen.
   */
  readonly combine: (equal: readonly [A, ...ReadonlyArray<A>], needed: number) => A
  readonly claims: (answer: A) => Claim
}

/** A host that contradicts its quorum. */
export interface Contradiction {
  readonly host: string
  /** True when no later block can explain the difference. */
  readonly conclusive: boolean
}

/** Which hosts agree with the result, and which contradict it. */
export interface Voices {
  readonly agreeing: ReadonlyArray<string>
  readonly contradicting: ReadonlyArray<Contradiction>
}

/** The quorum's answer, and which endpoints gave or contradicted it. */
export interface AgreedReading<A> extends Voices {
  readonly answer: A
}

/** The `nth` highest of these numbers: the value that at least that many endpoints have reached. */
export const reachedBy = <N extends bigint | number>(values: ReadonlyArray<N>, nth: number): N | undefined =>
  values.toSorted((left, right) => (left < right ? 1 : left > right ? -1 : 0))[nth - 1]

const isConclusive = (one: Claim, other: Claim): boolean =>
  (one === "lasting" && other !== "open") || (other === "lasting" && one !== "open")

/**
 * Sorts answers into those that agree with the result and those that contradict it. Also for answers that came after
 * the decision.
 */
export const voicesOn = <A>(
  { claims, same }: ReadingRule<A>,
  agreed: A,
  answers: ReadonlyArray<EndpointAnswer<A>>
): Voices => {
  const said = answers.flatMap((answer) => answer._tag === "Answer" ? [answer] : [])
  return {
    agreeing: said.flatMap(({ evidence, host }) => same(evidence, agreed) ? [host] : []),
    contradicting: said.flatMap(({ evidence, host }) =>
      same(evidence, agreed) ? [] : [{ host, conclusive: isConclusive(claims(evidence), claims(agreed)) }]
    )
  }
}

/**
 * The agreement so far. `missing`: the number of endpoints that have not answered yet. Undefined while they must be
 * waited for, because an answer that a later block may change can also change with their answers.
 */
export const agreeOnReading = <A>(
  quorum: EndpointQuorum,
  rule: ReadingRule<A>,
  answers: ReadonlyArray<EndpointAnswer<A>>,
  missing: number
): Result.Result<AgreedReading<A>, TooFewAnswers | EndpointsDisagree> | undefined => {
  const agreed = Result.map(agreeOnEvidence(quorum, rule.same, answers), ({ agreeing, evidence }): AgreedReading<A> => {
    // One answer for each host, however many of its endpoints gave it.
    const equal = agreeing.flatMap((host) => {
      const found = answers.find((each) => each._tag === "Answer" && each.host === host)
      return found?._tag === "Answer" ? [found.evidence] : []
    })
    const [first = evidence, ...others] = equal
    const answer = rule.combine([first, ...others], quorum.needed)
    return { answer, agreeing, contradicting: voicesOn(rule, answer, answers).contradicting }
  })
  if (missing === 0) return agreed
  // Below a majority a single disagreement refuses, and one may still arrive.
  const isDecided = Result.isSuccess(agreed) && isMajority(quorum) && rule.claims(agreed.success.answer) !== "open"
  return isDecided ? agreed : undefined
}

/**
 * The agreement of the endpoints that have answered, for use once the missing ones have had some time. Undefined
 * without an agreement, or while a missing endpoint could still prevent it.
 */
export const agreeWithoutMissing = <A>(
  quorum: EndpointQuorum,
  rule: ReadingRule<A>,
  answers: ReadonlyArray<EndpointAnswer<A>>
): AgreedReading<A> | undefined => {
  const agreed = isMajority(quorum) ? agreeOnReading(quorum, rule, answers, 0) : undefined
  return agreed === undefined || Result.isFailure(agreed) ? undefined : agreed.success
}
