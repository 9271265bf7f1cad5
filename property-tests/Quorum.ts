/**
 * Laws of the endpoint quorum (QUORUM-4). Liars cannot forge evidence, and cannot prevent it once enough honest
 * endpoints have reached the pinned block. They can only delay it.
 *
 * A quorum is simulated: endpoints report their heads, a block is pinned, those that have reached it answer, and the
 * answers are decided on. Liars see everything first and collude.
 */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import type { agreeOnEvidence, EndpointAnswer } from "../src/domain/quorum/AgreeOnEvidence.ts"
import {
  isMajority,
  type EndpointQuorum,
  type makeEndpointQuorum,
  tolerated
} from "../src/domain/quorum/EndpointQuorum.ts"
import type { pinBlock, ReportedHeads } from "../src/domain/quorum/PinnedBlock.ts"
import { type Law, law, must } from "./Law.ts"

/** The endpoint quorum under test. */
export interface QuorumImplementation {
  readonly makeEndpointQuorum: typeof makeEndpointQuorum
  readonly pinBlock: typeof pinBlock
  readonly agreeOnEvidence: typeof agreeOnEvidence
}

interface Endpoint {
  readonly height: bigint
  /** What it would answer. The truth is "true". */
  readonly says: string
  readonly lies: boolean
  readonly fails: boolean
}

interface Play {
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly needed: number
}

const truthful = fc.record({
  height: fc.bigInt({ min: 100n, max: 105n }),
  says: fc.constant("true"),
  lies: fc.constant(false),
  fails: fc.boolean()
})

/** Liars claim any height, tell one lie, several, or sometimes the truth, and fail when it helps them. */
const liar = fc.record({
  height: fc.oneof(fc.bigInt({ min: -1n, max: 110n }), fc.constant(1n << 60n)),
  says: fc.constantFrom("false", "false", "other", "true"),
  lies: fc.constant(true),
  fails: fc.boolean()
})

const hostName = (index: number): string => `node-${index}.example`

/** `liars` of `size` endpoints, in any order. */
const play = (size: number, needed: number, liars: number): fc.Arbitrary<Play> =>
  fc.tuple(
    fc.array(liar, { minLength: liars, maxLength: liars }),
    fc.array(truthful, { minLength: size - liars, maxLength: size - liars })
  ).chain(([bad, good]) => fc.shuffledSubarray<Endpoint>([...bad, ...good], { minLength: size }))
    .map((endpoints) => ({ endpoints, needed }))

const sizes = fc.integer({ min: 1, max: 7 })

/** Any k of n, with any number of liars that it tolerates. */
const anyPlay: fc.Arbitrary<Play> = sizes.chain((size) =>
  fc.integer({ min: 1, max: size }).chain((needed) =>
    fc.integer({ min: 0, max: Math.min(size - needed, needed - 1) }).chain((liars) => play(size, needed, liars))
  )
)

/** A quorum of half the endpoints or fewer, with any number of liars. */
const minorityPlay: fc.Arbitrary<Play> = fc.integer({ min: 2, max: 7 }).chain((size) =>
  fc.integer({ min: 1, max: Math.floor(size / 2) }).chain((needed) =>
    fc.integer({ min: 0, max: size }).chain((liars) => play(size, needed, liars))
  )
)

/** A majority, with up to n − k liars. */
const majorityPlay: fc.Arbitrary<Play> = sizes.chain((size) =>
  fc.integer({ min: Math.floor(size / 2) + 1, max: size }).chain((needed) =>
    fc.integer({ min: 0, max: size - needed }).chain((liars) => play(size, needed, liars))
  )
)

const same = (left: string, right: string): boolean => left === right

const reportsOf = ({ endpoints }: Play): ReadonlyArray<ReportedHeads> =>
  endpoints.map(({ height }, index) => ({
    host: hostName(index),
    finalHeight: height,
    head: { height: height + 5n, time: Number(BigInt.asUintN(40, height)) }
  }))

/** Pins a block, asks the endpoints that have reached it, and decides. */
const run = (quorum: QuorumImplementation, made: Play) => {
  const of: EndpointQuorum = Result.getOrThrow(
    quorum.makeEndpointQuorum(made.endpoints.map((_, index) => hostName(index)), made.needed)
  )
  const pinned = Result.getOrThrow(quorum.pinBlock(of, reportsOf(made)))
  const answers = made.endpoints.map(({ fails, height, says }, index): EndpointAnswer<string> => {
    const host = hostName(index)
    if (height < pinned.finalHeight) return { _tag: "Stale", host }
    return fails ? { _tag: "Failed", host } : { _tag: "Answer", host, evidence: says }
  })
  return { of, pinned, answers, decision: quorum.agreeOnEvidence(of, same, answers) }
}

/** How many honest endpoints have answered at the pinned block. */
const truthfulVoices = (made: Play, pinned: bigint): number =>
  made.endpoints.filter(({ fails, height, lies }) => !lies && !fails && height >= pinned).length

/** The laws of the endpoint quorum (QUORUM-4). */
export const quorumLaws = (quorum: QuorumImplementation): ReadonlyArray<Law> => [
  law(
    "with at most n − k liars, or fewer than k, no false evidence passes",
    fc.property(anyPlay, (made) => {
      const { decision, of } = run(quorum, made)
      must(made.endpoints.filter(({ lies }) => lies).length <= tolerated(of), "more liars than the law is about")
      must(Result.isFailure(decision) || decision.success.evidence === "true", "a lie has passed")
    })
  ),
  law(
    "a majority tolerates exactly n − k liars",
    fc.property(majorityPlay, (made) => {
      const { of } = run(quorum, made)
      must(isMajority(of) && tolerated(of) === of.hosts.length - of.needed, "another number")
    })
  ),
  law(
    "with k truthful ones at the pinned block true evidence passes, whatever n − k liars say",
    fc.property(majorityPlay, (made) => {
      const { decision, pinned } = run(quorum, made)
      if (truthfulVoices(made, pinned.finalHeight) < made.needed) return
      must(Result.isSuccess(decision) && decision.success.evidence === "true", "the truth has not passed")
    })
  ),
  law(
    "below a majority, where k may all lie, any dissent refuses",
    fc.property(minorityPlay, (made) => {
      const { answers, decision } = run(quorum, made)
      const said = new Set(answers.flatMap((answer) => answer._tag === "Answer" ? [answer.evidence] : []))
      must(Result.isFailure(decision) || said.size === 1, "agreed against a dissent")
    })
  ),
  law(
    "the pinned block is one that a truthful endpoint calls final, and at least k endpoints have reached it",
    fc.property(anyPlay, (made) => {
      const { pinned } = run(quorum, made)
      const heights = made.endpoints.filter(({ lies }) => !lies).map(({ height }) => height)
      must(heights.some((height) => height >= pinned.finalHeight), "beyond every truthful endpoint")
      must(pinned.reached.length >= made.needed, "fewer than k have reached it")
      must(heights.some((height) => height + 5n >= pinned.head.height), "a head beyond every truthful endpoint")
      made.endpoints.forEach(({ height }, index) => {
        const [asked, stale] = [pinned.reached, pinned.stale].map((hosts) => hosts.includes(hostName(index)))
        must(
          asked === (height >= pinned.finalHeight) && stale === !asked,
          "an endpoint is asked below its height, or lost"
        )
      })
    })
  ),
  law(
    "endpoints that are stale or fail do not disagree: without two voices against each other there is no alarm",
    fc.property(anyPlay, (made) => {
      const { answers, decision } = run(quorum, made)
      const said = new Set(answers.flatMap((answer) => answer._tag === "Answer" ? [answer.evidence] : []))
      if (Result.isSuccess(decision)) {
        must((decision.success.dissenting.length > 0) === (said.size > 1), "dissent is not named")
      } else {must(
          (decision.failure._tag === "EndpointsDisagree") === (said.size > 1),
          `${decision.failure._tag} with ${said.size} voices`
        )}
    })
  ),
  law(
    "endpoints of one host have one voice, however many they are",
    fc.property(anyPlay, fc.integer({ min: 2, max: 4 }), (made, copies) => {
      const { answers, decision, of } = run(quorum, made)
      const hosts = Array.from({ length: copies }, () => of.hosts).flat()
      const again = Result.getOrThrow(quorum.makeEndpointQuorum(hosts, made.needed))
      must(again.hosts.length === of.hosts.length, "a host counts twice")
      const repeated = Array.from({ length: copies }, () => answers).flat()
      const twice = quorum.agreeOnEvidence(again, same, repeated)
      must(Result.isSuccess(twice) === Result.isSuccess(decision), "copies changed the decision")
    })
  ),
  law(
    "a host whose endpoints contradict each other has no voice, and somebody hears of it",
    fc.property(majorityPlay, (made) => {
      const { answers, decision, of } = run(quorum, made)
      const contradicted = answers.flatMap((answer): ReadonlyArray<EndpointAnswer<string>> =>
        answer._tag === "Answer" ? [answer, { ...answer, evidence: `not ${answer.evidence}` }] : [answer]
      )
      const silenced = quorum.agreeOnEvidence(of, same, contradicted)
      must(Result.isFailure(silenced), "agreed without a voice")
      if (Result.isSuccess(decision)) {
        must(Result.isFailure(silenced) && silenced.failure._tag === "EndpointsDisagree", "no alarm")
      }
    })
  ),
  law(
    "a quorum that cannot be reached cannot be made; unless named it is more than half",
    fc.property(sizes, fc.integer({ min: -2, max: 9 }), (size, needed) => {
      const hosts = Array.from({ length: size }, (_, index) => hostName(index))
      must(
        Result.isSuccess(quorum.makeEndpointQuorum(hosts, needed)) === (needed >= 1 && needed <= size),
        "possible or not"
      )
      const usual = Result.getOrThrow(quorum.makeEndpointQuorum(hosts))
      must(usual.needed * 2 > size && (usual.needed - 1) * 2 <= size, "not just more than half")
      must(Result.isFailure(quorum.makeEndpointQuorum([])), "a quorum of nobody")
    })
  )
]
