/**
 * The decision of an endpoint quorum on what its endpoints answered at the pinned block (QUORUM-4).
 *
 * Every host has one voice. Answers that are stale or failed are no voice and no dissent. k equal
 * voices agree; who says otherwise is named, for an alarm. Below a majority, k liars could outvote the
 * truth, so there any dissent refuses.
 */
import * as Result from "effect/Result"
import { type EndpointQuorum, isMajority } from "./EndpointQuorum.ts"
import { EndpointsDisagree, TooFewAnswers } from "./QuorumFailure.ts"

/** What became of asking one endpoint. */
export type EndpointAnswer<E> =
  | { readonly _tag: "Answer"; readonly host: string; readonly evidence: E }
  /** It has not reached the pinned block. */
  | { readonly _tag: "Stale"; readonly host: string }
  /** It did not answer, or not with what could be decoded. */
  | { readonly _tag: "Failed"; readonly host: string }

/** What a quorum agreed on, who with, and who against. */
export interface Agreement<E> {
  readonly evidence: E
  readonly agreeing: ReadonlyArray<string>
  /** Not empty: an alarm, though the quorum stands. */
  readonly dissenting: ReadonlyArray<string>
}

interface Group<E> {
  readonly evidence: E
  readonly hosts: Array<string>
}

interface Voices<E> {
  readonly groups: ReadonlyArray<Group<E>>
  readonly contradicting: ReadonlyArray<string>
}

/** Answers by what they say. A host that says two things has no voice. */
const voicesOf = <E>(
  quorum: EndpointQuorum,
  same: (left: E, right: E) => boolean,
  answers: ReadonlyArray<EndpointAnswer<E>>
): Voices<E> => {
  const groups: Array<Group<E>> = []
  const contradicting: Array<string> = []
  for (const host of quorum.hosts) {
    const said: Array<E> = []
    for (const answer of answers) {
      if (answer._tag === "Answer" && answer.host === host) said.push(answer.evidence)
    }
    const [evidence, ...others] = said
    if (evidence === undefined) continue
    if (others.some((other) => !same(evidence, other))) {
      contradicting.push(host)
      continue
    }
    const group = groups.find((each) => same(each.evidence, evidence))
    if (group === undefined) groups.push({ evidence, hosts: [host] })
    else group.hosts.push(host)
  }
  return { groups, contradicting }
}

/**
 * `same` says when two pieces of evidence are one fact. Fails with `TooFewAnswers` when not enough
 * hosts have a voice, with `EndpointsDisagree` when those that have do not agree.
 */
export const agreeOnEvidence = <E>(
  quorum: EndpointQuorum,
  same: (left: E, right: E) => boolean,
  answers: ReadonlyArray<EndpointAnswer<E>>
): Result.Result<Agreement<E>, TooFewAnswers | EndpointsDisagree> => {
  const { contradicting, groups } = voicesOf(quorum, same, answers)
  const [largest] = groups.toSorted((left, right) => right.hosts.length - left.hosts.length)
  const dissenting = [...groups.filter((group) => group !== largest).flatMap((group) => group.hosts), ...contradicting]
  const reached = largest !== undefined && largest.hosts.length >= quorum.needed
  if (reached && (dissenting.length === 0 || isMajority(quorum))) {
    return Result.succeed({ evidence: largest.evidence, agreeing: largest.hosts, dissenting })
  }
  return dissenting.length > 0
    ? Result.fail(
      new EndpointsDisagree({ groups: groups.map((group) => group.hosts), contradicting, needed: quorum.needed })
    )
    : Result.fail(new TooFewAnswers({ answered: largest?.hosts.length ?? 0, needed: quorum.needed }))
}
