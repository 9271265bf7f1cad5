/**
 * The endpoints of a family's chains in their order of preference: one endpoint for the whole of a logical read, so
 * that an answer is never put together from two nodes, each with a deadline of its own; or all of them at once, until
 * a quorum agrees.
 *
 * An endpoint is used only after it has said that it is on the right chain, and is asked again after every failure. One
 * that did not answer, or is on another chain, comes last for a while: it would otherwise slow down every read. One
 * that contradicts the quorum is left out of single reads for longer (QUORUM-6). How a node is spoken to, how it says
 * which chain it is on, and what its failures mean are the family's business (`EndpointFamily`). SECURITY: nodes put
 * URLs with keys into their errors, and clients put them into theirs. Nothing of a cause leaves this file but its kind.
 */
import { Clock, Duration, Effect, Queue, Result, Schedule, Scope } from "effect"
import type { Redacted } from "effect"
import { ChainUnavailable } from "../../ports/chain/ChainUnavailable.ts"
import type { ChainFault } from "../../ports/chain/ChainUnavailable.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../src/domain/chain/ChainId.ts"
import type { ReadBy } from "../../ports/chain/ReadBy.ts"
import type { EndpointAnswer } from "../../src/domain/quorum/AgreeOnEvidence.ts"
import { agreeOnReading, agreeWithoutMissing, voicesOn } from "../../src/domain/quorum/AgreeOnReading.ts"
import type { AgreedReading, ReadingRule, Voices } from "../../src/domain/quorum/AgreeOnReading.ts"
import { judgeContradiction } from "../../src/domain/quorum/Contradictions.ts"
import type { Contradicting } from "../../src/domain/quorum/Contradictions.ts"
import { makeEndpointQuorum, makeSolverQuorum } from "../../src/domain/quorum/EndpointQuorum.ts"
import type { EndpointQuorum } from "../../src/domain/quorum/EndpointQuorum.ts"
import { hostOfUrl, noteDissent } from "../quorum/Endpoints.ts"
import { withinDeadline } from "../quorum/rpc/Deadline.ts"
import { NodeIsBehind } from "./NodeIsBehind.ts"

/** What a failed call says about its endpoint. */
export type EndpointFault = Extract<ChainFault, "timeout" | "unreachable" | "refused">

/** The family's part. `Client` calls one endpoint. */
export interface EndpointFamily<Client> {
  /** Makes no request. The scope closes the connections. `requestMs` is the deadline of one request. */
  readonly open: (url: Redacted.Redacted, requestMs: number) => Effect.Effect<Client, never, Scope.Scope>
  /** Asks the endpoint whether it is on this chain. */
  readonly isOn: (client: Client, chain: Chain) => Promise<boolean>
  readonly faultOf: (cause: unknown) => EndpointFault
}

/** The endpoints of a family's chains, for reading and writing. */
export interface ListedEndpoints {
  /** In order of preference. */
  readonly urls: ReadonlyMap<ChainId, ReadonlyArray<Redacted.Redacted>>
  /** How many hosts of a chain must agree on reads under its quorum (`rpcQuorum`). Default: more than half. */
  readonly quorums?: ReadonlyMap<ChainId, number>
  /** How long an endpoint that contradicts its quorum is left out of single reads, milliseconds; an hour unless named. */
  readonly leftOutMs?: number
}

/** A read that money depends on. */
export interface WitnessedRead<Client, A> {
  readonly operation: string
  readonly call: (client: Client) => Promise<A>
  readonly rule: ReadingRule<A>
  /** By one endpoint, answers of this kind still need the quorum. */
  readonly rests: (answer: A) => boolean
}

export interface Rotation<Client> {
  /** Runs `call` against one endpoint of the chain. Every failure is `ChainUnavailable`. */
  readonly call: <A>(
    chain: Chain,
    operation: string,
    call: (client: Client) => Promise<A>
  ) => Effect.Effect<A, ChainUnavailable>
  /**
   * What one endpoint answers, or what a quorum of endpoints agrees on. Where a single host decides, its answer is both.
   */
  readonly witnessed: <A>(
    chain: Chain,
    read: WitnessedRead<Client, A>,
    by: ReadBy
  ) => Effect.Effect<A, ChainUnavailable>
  /** True when a single host decides: its answer is the quorum's. */
  readonly isAlone: (chain: Chain) => boolean
  /**
   * Runs `call` against all endpoints of the chain at once, and hands what has come to `decide` until it decides, each
   * host's voice counted once; one that has not answered by then is not waited for.
   */
  readonly agreed: <A, B>(
    chain: Chain,
    operation: string,
    call: (client: Client) => Promise<A>,
    decide: (answers: ReadonlyArray<A>, needed: number) => B | undefined
  ) => Effect.Effect<B, ChainUnavailable>
}

/** Milliseconds: for one request, and for all requests of one logical read to one endpoint. */
interface Deadlines {
  readonly requestMs: number
  readonly endpointMs: number
}

const usual: Deadlines = { requestMs: 4_000, endpointMs: 8_000 }

/** An unreachable endpoint is retried after this delay, and once more after twice the delay. */
const AGAIN_AFTER = Duration.millis(75)

/** Milliseconds for which an endpoint comes last after a failure. */
const REST_MS = 30_000

/** How long an endpoint is left out of single reads once it has contradicted its quorum. */
export const LEFT_OUT_MS = 3_600_000

/** How long other endpoints are waited for when enough agree on something that they may have seen more of. */
const GRACE_MS = 250

class WrongChain extends Error {}

interface Endpoint<Client> {
  readonly client: Client
  readonly host: string
  /** True while the endpoint is known to be on the right chain. */
  verified: boolean
  /** The other endpoints come first until this time, in milliseconds. */
  restsUntil: number
  /** Until then, in milliseconds, it answers no single read. */
  leftOutUntil: number
  /** Since it last agreed with its quorum. */
  contradicting: Contradicting | undefined
}

/** The order of preference, those that rest after those that do not, without those that are left out. */
const inOrder = <Client>(endpoints: ReadonlyArray<Endpoint<Client>>, now: number): ReadonlyArray<Endpoint<Client>> =>
  endpoints.filter(({ leftOutUntil }) => leftOutUntil <= now).toSorted((one, other) =>
    Number(one.restsUntil > now) - Number(other.restsUntil > now)
  )

/** A node that answers keeps its place, whatever the answer says. */
const isUseless = (kind: ChainFault): boolean => kind === "timeout" || kind === "unreachable" || kind === "wrong-chain"

const rest = <Client>(endpoint: Endpoint<Client>) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    endpoint.restsUntil = now + REST_MS
  })

/** A single request that is dropped or rate-limited says nothing about the chain, so it is retried a little later. */
const again = <A>(asked: Effect.Effect<A, ChainUnavailable>) =>
  Effect.retry(asked, {
    schedule: Schedule.exponential(AGAIN_AFTER).pipe(Schedule.jittered),
    times: 2,
    while: ({ kind }) => kind === "unreachable"
  })

const unavailableOn = (chain: Chain, operation: string) => (kind: ChainFault) =>
  new ChainUnavailable({ chain: chain.slug, operation, kind })

/** Calls one endpoint of the family within its own deadline. */
const askingWith = <Client>({ faultOf, isOn }: EndpointFamily<Client>, endpointMs: number) => {
  const ask = async <A>(endpoint: Endpoint<Client>, chain: Chain, run: (client: Client) => Promise<A>): Promise<A> => {
    if (!endpoint.verified) {
      if (!(await isOn(endpoint.client, chain))) throw new WrongChain()
      endpoint.verified = true
    }
    try {
      return await run(endpoint.client)
    } catch (error) {
      // Another node may answer at this address next.
      endpoint.verified = false
      throw error
    }
  }

  const kindOf = (cause: unknown): ChainFault => {
    if (cause instanceof NodeIsBehind) return "behind"
    return cause instanceof WrongChain ? "wrong-chain" : faultOf(cause)
  }

  return <A>(endpoint: Endpoint<Client>, chain: Chain, operation: string, run: (client: Client) => Promise<A>) => {
    const unavailable = unavailableOn(chain, operation)
    return withinDeadline(() => ask(endpoint, chain, run), {
      deadline: endpointMs,
      faultOf: (cause) => unavailable(kindOf(cause)),
      late: () => unavailable("timeout")
    }).pipe(
      Effect.tapError(({ kind }) => isUseless(kind) ? rest(endpoint) : Effect.void)
    )
  }
}

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

/** The endpoints of one chain. */
interface OpenChain<Client> {
  readonly all: ReadonlyArray<Endpoint<Client>>
  /** Undefined when the configured quorum can never be reached. */
  readonly quorum: EndpointQuorum | undefined
  /** Decides reads that money depends on. */
  readonly solver: EndpointQuorum | undefined
}

const NO_ENDPOINTS: OpenChain<never> = { all: [], quorum: undefined, solver: undefined }

interface Heard<A> {
  readonly host: string
  readonly heard: Result.Result<A, ChainUnavailable>
}

const answerOf = <A>({ heard, host }: Heard<A>): EndpointAnswer<A> =>
  Result.isSuccess(heard) ? { _tag: "Answer", host, evidence: heard.success } : { _tag: "Failed", host }

/** Opens the endpoints; the scope closes them. */
export const makeRotation = Effect.fnUntraced(function*<Client>(
  family: EndpointFamily<Client>,
  { leftOutMs = LEFT_OUT_MS, quorums, urls }: ListedEndpoints,
  { endpointMs, requestMs }: Deadlines = usual
): Effect.fn.Return<Rotation<Client>, never, Scope.Scope> {
  const makeEndpoint = (url: Redacted.Redacted) =>
    Effect.map(
      family.open(url, requestMs),
      (client): Endpoint<Client> => ({
        client,
        host: hostOfUrl(url),
        verified: false,
        restsUntil: 0,
        leftOutUntil: 0,
        contradicting: undefined
      })
    )
  const chains = new Map(
    yield* Effect.forEach(
      urls,
      ([id, listed]) =>
        Effect.map(Effect.forEach(listed, makeEndpoint), (all): readonly [ChainId, OpenChain<Client>] => [id, {
          all,
          quorum: Result.getOrUndefined(makeEndpointQuorum(all.map(({ host }) => host), quorums?.get(id))),
          solver: Result.getOrUndefined(makeSolverQuorum(all.map(({ host }) => host), quorums?.get(id)))
        }])
    )
  )
  const askOne = askingWith(family, endpointMs)
  const opened = ({ id }: Chain): OpenChain<Client> => chains.get(id) ?? NO_ENDPOINTS

  const callOne = Effect.fnUntraced(
    function*<A>(chain: Chain, operation: string, run: (client: Client) => Promise<A>) {
      const { all } = opened(chain)
      const ordered = inOrder(all, yield* Clock.currentTimeMillis)
      const [first, ...others] = ordered.map((endpoint) =>
        Effect.map(askOne(endpoint, chain, operation, run), (answer) => ({ answer, endpoint }))
      )
      // Those that contradict the quorum are not asked, even when no other endpoint is left.
      if (first === undefined) {
        return yield* unavailableOn(chain, operation)(all.length === 0 ? "not-served" : "divided")
      }
      return yield* again(others.reduce((tried, next) => tried.pipe(Effect.catch(() => next)), first))
    }
  )

  const call = <A>(chain: Chain, operation: string, run: (client: Client) => Promise<A>) =>
    Effect.map(callOne(chain, operation, run), ({ answer }) => answer)

  const rotation = yield* Effect.scope

  /** Asks endpoints at once. The scope ends what has not answered. */
  const askAll = Effect.fnUntraced(function*<A>(
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

  const agreed = Effect.fnUntraced(function*<A, B>(
    chain: Chain,
    operation: string,
    run: (client: Client) => Promise<A>,
    decide: (answers: ReadonlyArray<A>, needed: number) => B | undefined
  ): Effect.fn.Return<B, ChainUnavailable, Scope.Scope> {
    const unavailable = unavailableOn(chain, operation)
    const { all, quorum } = opened(chain)
    if (quorum === undefined) return yield* unavailable("not-served")
    const answers = yield* askAll(all, chain, operation, run)
    const said = new Map<string, A>()
    let fault: ChainUnavailable | undefined
    for (let left = all.length; left > 0; left -= 1) {
      const { heard, host } = yield* Queue.take(answers)
      if (Result.isFailure(heard)) {
        fault = heard.failure
        continue
      }
      if (!said.has(host)) said.set(host, heard.success)
      const decided = decide([...said.values()], quorum.needed)
      if (decided !== undefined) return decided
    }
    return yield* said.size < quorum.needed && fault !== undefined ? fault : unavailable("behind")
  }, (reading) => Effect.scoped(reading))

  /** `known`: an endpoint that has answered already, and what. */
  const byQuorum = Effect.fnUntraced(function*<A>(
    chain: Chain,
    quorum: EndpointQuorum,
    { call: run, operation, rule }: WitnessedRead<Client, A>,
    known: { readonly answer: A; readonly endpoint: Endpoint<Client> } | undefined
  ): Effect.fn.Return<A, ChainUnavailable> {
    const { all } = opened(chain)
    const others = all.filter((endpoint) => endpoint !== known?.endpoint)
    // Who answers after the decision is still heard: one that contradicts it must be known before it is asked alone.
    const answers = yield* Scope.provide(askAll(others, chain, operation, run), rotation)
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
          Effect.forkIn(rotation)
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

  const isAlone = (chain: Chain): boolean => {
    const { solver } = opened(chain)
    return solver === undefined || solver.needed === 1
  }

  const witnessed = Effect.fnUntraced(
    function*<A>(chain: Chain, read: WitnessedRead<Client, A>, by: ReadBy): Effect.fn.Return<A, ChainUnavailable> {
      const { solver: quorum } = opened(chain)
      if (quorum !== undefined && by === "quorum" && !isAlone(chain)) {
        return yield* byQuorum(chain, quorum, read, undefined)
      }
      const one = yield* callOne(chain, read.operation, read.call)
      return quorum === undefined || isAlone(chain) || !read.rests(one.answer)
        ? one.answer
        : yield* byQuorum(chain, quorum, read, one)
    }
  )

  return { agreed, call, isAlone, witnessed }
})
