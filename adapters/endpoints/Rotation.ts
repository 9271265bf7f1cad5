/**
 * The endpoints of a family's chains in their order of preference: one endpoint for the whole of a logical read, so
 * that an answer is never put together from two nodes, each with a deadline of its own; or all of them at once, until
 * enough agree.
 *
 * An endpoint is used only after it has said that it is on the right chain, and is asked again after every failure. One
 * that did not answer, or is on another chain, comes last for a while: it would otherwise slow down every read. How a
 * node is spoken to, how it says which chain it is on, and what its failures mean are the family's business
 * (`EndpointFamily`). SECURITY: nodes put URLs with keys into their errors, and clients put them into theirs. Nothing
 * of a cause leaves this file but its kind.
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

/** What a failure of a call says of the endpoint that it was made to. */
export type EndpointFault = Extract<ChainFault, "timeout" | "unreachable" | "refused">

/** What a family brings: `Client` is one endpoint, as its calls are made. */
export interface EndpointFamily<Client> {
  /** Makes no request; the scope closes the connections. `requestMs` is for one request. */
  readonly open: (url: Redacted.Redacted, requestMs: number) => Effect.Effect<Client, never, Scope.Scope>
  /** Asks the endpoint whether it is on this chain. */
  readonly isOn: (client: Client, chain: Chain) => Promise<boolean>
  readonly faultOf: (cause: unknown) => EndpointFault
}

/** Where the chains of a family are read and written. */
export interface ListedEndpoints {
  /** In order of preference. */
  readonly urls: ReadonlyMap<ChainId, ReadonlyArray<Redacted.Redacted>>
  /**
   * How many hosts of a chain must agree on what is read under its quorum (`rpcQuorum`); more than half unless named.
   */
  readonly quorums?: ReadonlyMap<ChainId, number>
}

export interface Rotation<Client> {
  /** Runs `call` against one endpoint of the chain; anything that goes wrong is `ChainUnavailable`. */
  readonly call: <A>(
    chain: Chain,
    operation: string,
    call: (client: Client) => Promise<A>
  ) => Effect.Effect<A, ChainUnavailable>
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

/** Milliseconds: for one request, and for everything that a logical read asks of one endpoint. */
interface Deadlines {
  readonly requestMs: number
  readonly endpointMs: number
}

const usual: Deadlines = { requestMs: 4_000, endpointMs: 8_000 }

/** What could not be reached is tried again after this, and once more after twice as long. */
const AGAIN_AFTER = Duration.millis(75)

/** How long an endpoint comes after the others once it was of no use. */
const REST_MS = 30_000

class WrongChain extends Error {}

interface Endpoint<Client> {
  readonly client: Client
  readonly host: string
  /** True while the endpoint is known to be on the right chain. */
  verified: boolean
  /** Until then, in milliseconds, the others are asked first. */
  restsUntil: number
}

/** The order of preference, those that rest after those that do not. */
const inOrder = <Client>(endpoints: ReadonlyArray<Endpoint<Client>>, now: number): ReadonlyArray<Endpoint<Client>> =>
  endpoints.toSorted((one, other) => Number(one.restsUntil > now) - Number(other.restsUntil > now))

/** A node that answers is no worse than the next one, whatever it says. */
const isUseless = (kind: ChainFault): boolean => kind === "timeout" || kind === "unreachable" || kind === "wrong-chain"

const rest = <Client>(endpoint: Endpoint<Client>) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    endpoint.restsUntil = now + REST_MS
  })

/** One request that is dropped or refused for its number is no news of a chain: it is made again, a little later. */
const again = <A>(asked: Effect.Effect<A, ChainUnavailable>) =>
  Effect.retry(asked, {
    schedule: Schedule.exponential(AGAIN_AFTER).pipe(Schedule.jittered),
    times: 2,
    while: ({ kind }) => kind === "unreachable"
  })

const unavailableOn = (chain: Chain, operation: string) => (kind: ChainFault) =>
  new ChainUnavailable({ chain: chain.slug, operation, kind })

/** How one endpoint of the family is asked, by its own deadline. */
const askingWith = <Client>({ faultOf, isOn }: EndpointFamily<Client>, endpointMs: number) => {
  const ask = async <A>(endpoint: Endpoint<Client>, chain: Chain, run: (client: Client) => Promise<A>): Promise<A> => {
    if (!endpoint.verified) {
      if (!(await isOn(endpoint.client, chain))) throw new WrongChain()
      endpoint.verified = true
    }
    try {
      return await run(endpoint.client)
    } catch (error) {
      // Whoever answers at this address next may be somebody else.
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
