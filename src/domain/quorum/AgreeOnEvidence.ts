/**
 * An endpoint quorum's decision on its endpoints' answers at the pinned block (QUORUM-4).
 *
 * Every host has one vote. Stale or failed answers neither agree nor disagree. k equal votes agree, and hosts that vote
 * otherwise are named, for an alarm. With k below a majority, k liars could outvote the truth, so any disagreement
 * refuses.
 */
import * as Result from "effect/Result"
import { type EndpointQuorum, isMajority } from "./EndpointQuorum.ts"
import { EndpointsDisagree, TooFewAnswers } from "./QuorumFailure.ts"

/** The result of asking one endpoint. */
export type EndpointAnswer<E> =
  | { readonly _tag: "Answer"; readonly host: string; readonly evidence: E }
  /** It has not reached the pinned block. */
  | { readonly _tag: "Stale"; readonly host: string }
  /** It did not answer, or its answer could not be decoded. */
  | { readonly _tag: "Failed"; readonly host: string }

/** What a quorum agreed on, and which hosts agreed and disagreed. */
export interface Agreement<E> {
  readonly evidence: E
  readonly agreeing: ReadonlyArray<string>
  /** Not empty: raises an alarm, although the quorum was reached. */
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

/** Groups the hosts by answer. A host with two different answers has no vote. */
const voicesOf = <E>(
  quorum: EndpointQuorum,
  same: (left: E, right: E) => boolean,
  answers: ReadonlyArray<EndpointAnswer<E>>
): Voices<E> => {
  const groups: Array<Group<E>> = []
  const contradicting: Array<string> = []
  for (const host of quorum.hosts) {
    // That there is nothing is an answer, too: it is `undefined` where a reading says so.
    const said = answers.flatMap((answer) => answer._tag === "Answer" && answer.host === host ? [answer] : [])
    const [first, ...others] = said
    if (first === undefined) continue
    const { evidence } = first
    if (others.some((other) => !same(evidence, other.evidence))) {
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
 * `same` says when two pieces of evidence are one fact. Fails with `TooFewAnswers` when not enough hosts have a vote,
 * with `EndpointsDisagree` when the votes do not agree.
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
