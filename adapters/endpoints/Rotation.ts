/**
 * The endpoints of a family's chains, in order of preference. `call` makes one logical read at one endpoint, so that an
 * answer never mixes two nodes; each endpoint has its own deadline. `agreed` asks all endpoints at once, until enough
 * of them agree.
 *
 * An endpoint is used only after it has shown that it is on the right chain, and is checked again after every failure.
 * An endpoint that did not answer, or is on another chain, comes last for a while, so that it does not slow down every
 * read. The family (`EndpointFamily`) defines how a node is called, how its chain is checked, and what its failures
 * mean. SECURITY: nodes and clients put URLs with keys into their errors. Only the kind of a cause leaves this file.
 */
import { Clock, Duration, Effect, Queue, Result, Schedule } from "effect"
import type { Redacted, Scope } from "effect"
import { ChainUnavailable } from "../../ports/chain/ChainUnavailable.ts"
import type { ChainFault } from "../../ports/chain/ChainUnavailable.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../src/domain/chain/ChainId.ts"
import { makeEndpointQuorum } from "../../src/domain/quorum/EndpointQuorum.ts"
import { hostOfUrl } from "../quorum/Endpoints.ts"
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
}

export interface Rotation<Client> {
  /** Runs `call` against one endpoint of the chain. Every failure is `ChainUnavailable`. */
  readonly call: <A>(
    chain: Chain,
    operation: string,
    call: (client: Client) => Promise<A>
  ) => Effect.Effect<A, ChainUnavailable>
  /**
   * Runs `call` against all endpoints of the chain at once. Passes the answers so far to `decide` until it decides;
   * each host counts once. Endpoints that have not answered by then are not waited for.
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

class WrongChain extends Error {}

interface Endpoint<Client> {
  readonly client: Client
  readonly host: string
  /** True while the endpoint is known to be on the right chain. */
  verified: boolean
  /** The other endpoints come first until this time, in milliseconds. */
  restsUntil: number
}

/** In order of preference, resting endpoints last. */
const inOrder = <Client>(endpoints: ReadonlyArray<Endpoint<Client>>, now: number): ReadonlyArray<Endpoint<Client>> =>
  endpoints.toSorted((one, other) => Number(one.restsUntil > now) - Number(other.restsUntil > now))

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

/** Opens the endpoints; the scope closes them. */
export const makeRotation = Effect.fnUntraced(function*<Client>(
  family: EndpointFamily<Client>,
  { quorums, urls }: ListedEndpoints,
  { endpointMs, requestMs }: Deadlines = usual
): Effect.fn.Return<Rotation<Client>, never, Scope.Scope> {
  const makeEndpoint = (url: Redacted.Redacted) =>
    Effect.map(
      family.open(url, requestMs),
      (client): Endpoint<Client> => ({ client, host: hostOfUrl(url), verified: false, restsUntil: 0 })
    )
  const endpoints = new Map(
    yield* Effect.forEach(
      urls,
      ([id, listed]) => Effect.map(Effect.forEach(listed, makeEndpoint), (made) => [id, made] as const)
    )
  )
  const askOne = askingWith(family, endpointMs)

  const call = Effect.fnUntraced(function*<A>(chain: Chain, operation: string, run: (client: Client) => Promise<A>) {
    const ordered = inOrder(endpoints.get(chain.id) ?? [], yield* Clock.currentTimeMillis)
    const [first, ...others] = ordered.map((endpoint) => askOne(endpoint, chain, operation, run))
    if (first === undefined) return yield* unavailableOn(chain, operation)("not-served")
    return yield* again(others.reduce((tried, next) => tried.pipe(Effect.catch(() => next)), first))
  })

  const agreed = Effect.fnUntraced(function*<A, B>(
    chain: Chain,
    operation: string,
    run: (client: Client) => Promise<A>,
    decide: (answers: ReadonlyArray<A>, needed: number) => B | undefined
  ): Effect.fn.Return<B, ChainUnavailable, Scope.Scope> {
    const unavailable = unavailableOn(chain, operation)
    const all = endpoints.get(chain.id) ?? []
    const quorum = makeEndpointQuorum(all.map(({ host }) => host), quorums?.get(chain.id))
    if (Result.isFailure(quorum)) return yield* unavailable("not-served")
    const answers = yield* Queue.unbounded<
      { readonly host: string; readonly heard: Result.Result<A, ChainUnavailable> }
    >()
    yield* Effect.forEach(all, (endpoint) =>
      again(askOne(endpoint, chain, operation, run)).pipe(
        Effect.result,
        Effect.flatMap((heard) => Queue.offer(answers, { host: endpoint.host, heard })),
        Effect.forkScoped
      ), { discard: true })
    const said = new Map<string, A>()
    let fault: ChainUnavailable | undefined
    for (let left = all.length; left > 0; left -= 1) {
      const { heard, host } = yield* Queue.take(answers)
      if (Result.isFailure(heard)) {
        fault = heard.failure
        continue
      }
      if (!said.has(host)) said.set(host, heard.success)
      const decided = decide([...said.values()], quorum.success.needed)
      if (decided !== undefined) return decided
    }
    return yield* said.size < quorum.success.needed && fault !== undefined ? fault : unavailable("behind")
  }, (reading) => Effect.scoped(reading))

  return { agreed, call }
})
