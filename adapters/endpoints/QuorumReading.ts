/**
 * Reads something that money depends on under the quorum of a chain's endpoints (QUORUM-5), and leaves out endpoints
 * that contradict it (QUORUM-6). The domain decides when endpoints agree.
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
  /** True for answers that need the quorum even when a single endpoint was asked. */
  readonly rests: (answer: A) => boolean
}

/** How long to wait for the other endpoints once enough agree, in case they have seen newer blocks. */
const GRACE_MS = 250

/**
 * Counts the endpoints that agree with the quorum and those that contradict it, and leaves out the ones that the rule
 * selects (QUORUM-6).
 */
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

/** Asks all endpoints concurrently. Closing the scope cancels the requests that are still open. */
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

/** A chain's endpoints, their quorum, and how they are asked. */
export interface QuorumOf<Client> {
  readonly all: ReadonlyArray<Endpoint<Client>>
  readonly quorum: EndpointQuorum
  readonly askOne: AskOne<Client>
  readonly leftOutMs: number
  /** Closing it cancels requests that are still open after a decision. */
  readonly scope: Scope.Scope
}

/**
 * Reads under the quorum. `known`: an answer that one endpoint has already given. Fails with `divided` when the
 * endpoints disagree, with `behind` or the last fault when too few answered.
 */
export const readByQuorum = Effect.fnUntraced(function*<Client, A>(
  { all, askOne, leftOutMs, quorum, scope }: QuorumOf<Client>,
  chain: Chain,
  { call: run, operation, rule }: WitnessedRead<Client, A>,
  known: { readonly answer: A; readonly endpoint: Endpoint<Client> } | undefined
): Effect.fn.Return<A, ChainUnavailable> {
  const others = all.filter((endpoint) => endpoint !== known?.endpoint)
  // Answers that arrive after the decision are still judged, so that a liar is left out of later single reads.
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
