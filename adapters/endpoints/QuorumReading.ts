/**
 * What a quorum of a chain's endpoints says about something that money depends on (QUORUM-5), and what becomes of an
 * endpoint that contradicts it (QUORUM-6). When they agree is the domain's.
 */
import { Clock, Effect, Queue, Result, Scope } from "effect"
import type { ChainUnavailable } from "../../ports/chain/ChainUnavailable.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { EndpointAnswer } from "../../src/domain/quorum/AgreeOnEvidence.ts"
import { agreeOnReading, agreeWithoutMissing, voicesOn } from "../../src/domain/quorum/AgreeOnReading.ts"
import type { AgreedReading, ReadingRule, Voices } from "../../src/domain/quorum/AgreeOnReading.ts"
import { judgeContradiction } from "../../src/domain/quorum/Contradictions.ts"
import type { EndpointQuorum } from "../../src/domain/quorum/EndpointQuorum.ts"
import { noteDissent } from "../quorum/Endpoints.ts"
import { again, unavailableOn } from "./AskEndpoint.ts"
import type { AskOne, Endpoint } from "./AskEndpoint.ts"

/** A read that money depends on. */
export interface WitnessedRead<Client, A> {
  readonly operation: string
  readonly call: (client: Client) => Promise<A>
  readonly rule: ReadingRule<A>
  /** By one endpoint, answers of this kind still need the quorum. */
  readonly rests: (answer: A) => boolean
}

/** How long other endpoints are waited for when enough agree on something that they may have seen more of. */
const GRACE_MS = 250

/** Counts who agrees with the quorum and who contradicts it, and leaves out those that the rule names (QUORUM-6). */
const judgeEndpoints = Effect.fnUntraced(function*<Client>(
  endpoints: ReadonlyArray<Endpoint<Client>>,
  { blockTimeMs, slug }: Chain,
  { agreeing, contradicting }: Voices,
  leftOutMs: number
) {
  const now = yield* Clock.currentTimeMillis
  for (const endpoint of endpoints) {
    const contradiction = contradicting.find(({ host }) => host === endpoint.host)
    if (contradiction === undefined) {
      if (agreeing.includes(endpoint.host)) endpoint.contradicting = undefined
      continue
    }
    const verdict = judgeContradiction(endpoint.contradicting, contradiction.conclusive, blockTimeMs, now)
    endpoint.contradicting = verdict._tag === "Watch" ? verdict.run : undefined
    if (verdict._tag === "Watch" || endpoint.leftOutUntil > now) continue
    endpoint.leftOutUntil = now + leftOutMs
    yield* noteDissent(slug, [endpoint.host])
    yield* Effect.logError(
      `${slug}: ${endpoint.host} contradicts the quorum and is left out of single reads for ${
        Math.ceil(leftOutMs / 60_000)
      } minutes`
    )
  }
})

export interface Heard<A> {
  readonly host: string
  readonly heard: Result.Result<A, ChainUnavailable>
}

const answerOf = <A>({ heard, host }: Heard<A>): EndpointAnswer<A> =>
  Result.isSuccess(heard) ? { _tag: "Answer", host, evidence: heard.success } : { _tag: "Failed", host }

/** Asks endpoints at once. The scope ends what has not answered. */
export const askAll = Effect.fnUntraced(function*<Client, A>(
  askOne: AskOne<Client>,
  endpoints: ReadonlyArray<Endpoint<Client>>,
  chain: Chain,
  operation: string,
  run: (client: Client) => Promise<A>
) {
  const answers = yield* Queue.unbounded<Heard<A>>()
  yield* Effect.forEach(endpoints, (endpoint) =>
    again(askOne(endpoint, chain, operation, run)).pipe(
      Effect.result,
      Effect.flatMap((heard) => Queue.offer(answers, { host: endpoint.host, heard })),
      Effect.forkScoped
    ), { discard: true })
  return answers
})

/** A chain's endpoints, those that decide, and how they are asked. */
export interface QuorumOf<Client> {
  readonly all: ReadonlyArray<Endpoint<Client>>
  readonly quorum: EndpointQuorum
  readonly askOne: AskOne<Client>
  readonly leftOutMs: number
  /** Ends what is still asked after a decision. */
  readonly scope: Scope.Scope
}

/** `known`: an endpoint that has answered already, and what. */
export const readByQuorum = Effect.fnUntraced(function*<Client, A>(
  { all, askOne, leftOutMs, quorum, scope }: QuorumOf<Client>,
  chain: Chain,
  { call: run, operation, rule }: WitnessedRead<Client, A>,
  known: { readonly answer: A; readonly endpoint: Endpoint<Client> } | undefined
): Effect.fn.Return<A, ChainUnavailable> {
  const others = all.filter((endpoint) => endpoint !== known?.endpoint)
  // Who answers after the decision is still heard: one that contradicts it must be known before it is asked alone.
  const answers = yield* Scope.provide(askAll(askOne, others, chain, operation, run), scope)
  const heard: Array<EndpointAnswer<A>> = known === undefined
    ? []
    : [{ _tag: "Answer", host: known.endpoint.host, evidence: known.answer }]
  let fault: ChainUnavailable | undefined
  let left = others.length
  const decide = Effect.fnUntraced(function*(reading: AgreedReading<A>) {
    yield* judgeEndpoints(all, chain, reading, leftOutMs)
    if (left > 0) {
      yield* Queue.take(answers).pipe(
        Effect.flatMap((late) =>
          judgeEndpoints(all, chain, voicesOn(rule, reading.answer, [answerOf(late)]), leftOutMs)
        ),
        Effect.repeat({ times: left - 1 }),
        Effect.forkIn(scope)
      )
    }
    return reading.answer
  })
  while (left > 0) {
    const next = Queue.take(answers)
    const standing = agreeWithoutMissing(quorum, rule, heard)
    const answer = yield* standing === undefined
      ? next
      : Effect.timeoutOrElse(next, { duration: GRACE_MS, orElse: () => Effect.succeed(undefined) })
    if (answer === undefined) {
      if (standing !== undefined) return yield* decide(standing)
      continue
    }
    left -= 1
    if (Result.isFailure(answer.heard)) fault = answer.heard.failure
    heard.push(answerOf(answer))
    const reading = agreeOnReading(quorum, rule, heard, left)
    if (reading === undefined) continue
    if (Result.isSuccess(reading)) return yield* decide(reading.success)
    return yield* reading.failure._tag === "EndpointsDisagree"
      ? unavailableOn(chain, operation)("divided")
      : fault ?? unavailableOn(chain, operation)("behind")
  }
  return yield* unavailableOn(chain, operation)("behind")
})
