/**
 * The one way to call an EVM chain: its endpoints in order, each with a deadline of its own, and one endpoint for the
 * whole of a logical read, so that an answer is never put together from two nodes.
 *
 * An endpoint is used only after it has said that it is on the right chain, and is asked again after every failure.
 * One that did not answer, or is on another chain, comes last for a while: it would otherwise slow down every read.
 * SECURITY: nodes put URLs with keys into their errors, and viem puts them into its messages. Nothing of a cause leaves
 * this file but its kind.
 */
import { Clock, Context, Duration, Effect, Layer, Queue, Result, Schedule } from "effect"
import type { Redacted, Scope } from "effect"
import { BaseError, createPublicClient, HttpRequestError, TimeoutError } from "viem"
import type { PublicClient } from "viem"
import { ChainUnavailable } from "../../ports/ChainUnavailable.ts"
import type { ChainFault } from "../../ports/ChainUnavailable.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../src/domain/chain/ChainId.ts"
import { makeEndpointQuorum } from "../../src/domain/quorum/EndpointQuorum.ts"
import { hostOfUrl } from "../quorum/Endpoints.ts"
import { makeJsonRpcPool } from "../quorum/rpc/JsonRpcPool.ts"
import { viemTransport } from "./rpc/ViemTransport.ts"

/** The endpoints of every EVM chain, in order of preference. */
export class EthereumEndpoints extends Context.Service<EthereumEndpoints, {
  readonly urls: ReadonlyMap<ChainId, ReadonlyArray<Redacted.Redacted>>
  /** How many hosts of a chain must agree on what is read under its quorum (`rpcQuorum`); more than half unless named. */
  readonly quorums?: ReadonlyMap<ChainId, number>
}>()("causeway/adapters/ethereum/EthereumEndpoints") {}

export class EthereumRpc extends Context.Service<EthereumRpc, {
  /** Runs `call` against one endpoint of the chain; anything that goes wrong is `ChainUnavailable`. */
  readonly call: <A>(
    chain: Chain,
    operation: string,
    call: (client: PublicClient) => Promise<A>
  ) => Effect.Effect<A, ChainUnavailable>
  /**
   * Runs `call` against all endpoints of the chain at once, and hands what has come to `decide` until it decides, each host's
   * voice counted once; one that has not answered by then is not waited for.
   */
  readonly agreed: <A, B>(
    chain: Chain,
    operation: string,
    call: (client: PublicClient) => Promise<A>,
    decide: (answers: ReadonlyArray<A>, needed: number) => B | undefined
  ) => Effect.Effect<B, ChainUnavailable>
}>()("causeway/adapters/ethereum/EthereumRpc") {}

/** For one HTTP request, and for everything that a logical read asks of one endpoint. */
const REQUEST_TIMEOUT_MS = 4_000
const ENDPOINT_TIMEOUT_MS = 8_000

/** What could not be reached is tried again after this, and once more after twice as long. */
const AGAIN_AFTER = Duration.millis(75)

/** How long an endpoint comes after the others once it was of no use. */
const REST_MS = 30_000

/** What a call throws when the node has nothing to say yet: no fault of the endpoint, and never evidence. */
export class NodeIsBehind extends Error {}

class WrongChain extends Error {}

interface Endpoint {
  readonly client: PublicClient
  readonly host: string
  /** True while the endpoint is known to be on the right chain. */
  verified: boolean
  /** Until then, in milliseconds, the others are asked first. */
  restsUntil: number
}

const makeEndpoint = (url: Redacted.Redacted) =>
  Effect.map(makeJsonRpcPool(url), (pool): Endpoint => ({
    client: createPublicClient({ transport: viemTransport(pool, REQUEST_TIMEOUT_MS), cacheTime: 0 }),
    host: hostOfUrl(url),
    verified: false,
    restsUntil: 0
  }))

const faultOf = (cause: unknown): ChainFault => {
  if (cause instanceof NodeIsBehind) return "behind"
  if (cause instanceof WrongChain) return "wrong-chain"
  if (!(cause instanceof BaseError)) return "refused"
  if (cause.walk((error) => error instanceof TimeoutError) !== null) return "timeout"
  return cause.walk((error) => error instanceof HttpRequestError) === null ? "refused" : "unreachable"
}

/** The order of preference, those that rest after those that do not. */
const inOrder = (endpoints: ReadonlyArray<Endpoint>, now: number): ReadonlyArray<Endpoint> =>
  endpoints.toSorted((one, other) => Number(one.restsUntil > now) - Number(other.restsUntil > now))

/** A node that answers is no worse than the next one, whatever it says. */
const isUseless = (kind: ChainFault): boolean => kind === "timeout" || kind === "unreachable" || kind === "wrong-chain"

const rest = (endpoint: Endpoint) =>
  Effect.map(Clock.currentTimeMillis, (now) => { endpoint.restsUntil = now + REST_MS })

const ask = async <A>(endpoint: Endpoint, chain: Chain, run: (client: PublicClient) => Promise<A>): Promise<A> => {
  if (!endpoint.verified) {
    if ((await endpoint.client.getChainId()) !== chain.id) throw new WrongChain()
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

export const layer = Layer.effect(
  EthereumRpc,
  Effect.gen(function*() {
    const { quorums, urls } = yield* EthereumEndpoints
    const endpoints = new Map(yield* Effect.forEach(urls, ([id, listed]) => Effect.map(Effect.forEach(listed, makeEndpoint), (made) => [id, made] as const)))

    const unavailableOn = (chain: Chain, operation: string) => (kind: ChainFault) => new ChainUnavailable({ chain: chain.slug, operation, kind })

    const askOne = <A>(endpoint: Endpoint, chain: Chain, operation: string, run: (client: PublicClient) => Promise<A>) => {
      const unavailable = unavailableOn(chain, operation)
      return Effect.tryPromise({
        try: () => ask(endpoint, chain, run),
        catch: (cause) => unavailable(faultOf(cause))
      }).pipe(
        Effect.timeoutOrElse({ duration: ENDPOINT_TIMEOUT_MS, orElse: () => Effect.fail(unavailable("timeout")) }),
        Effect.tapError(({ kind }) => isUseless(kind) ? rest(endpoint) : Effect.void)
      )
    }

    /** One request that is dropped or refused for its number is no news of a chain: it is made again, a little later. */
    const again = <A>(asked: Effect.Effect<A, ChainUnavailable>) =>
      Effect.retry(asked, { schedule: Schedule.exponential(AGAIN_AFTER).pipe(Schedule.jittered), times: 2, while: ({ kind }) => kind === "unreachable" })

    const call = Effect.fnUntraced(function*<A>(chain: Chain, operation: string, run: (client: PublicClient) => Promise<A>) {
      const ordered = inOrder(endpoints.get(chain.id) ?? [], yield* Clock.currentTimeMillis)
      const [first, ...others] = ordered.map((endpoint) => askOne(endpoint, chain, operation, run))
      if (first === undefined) return yield* unavailableOn(chain, operation)("not-served")
      return yield* again(others.reduce((tried, next) => tried.pipe(Effect.catch(() => next)), first))
    })

    const agreed = Effect.fnUntraced(function*<A, B>(
      chain: Chain,
      operation: string,
      run: (client: PublicClient) => Promise<A>,
      decide: (answers: ReadonlyArray<A>, needed: number) => B | undefined
    ): Effect.fn.Return<B, ChainUnavailable, Scope.Scope> {
      const unavailable = unavailableOn(chain, operation)
      const all = endpoints.get(chain.id) ?? []
      const quorum = makeEndpointQuorum(all.map(({ host }) => host), quorums?.get(chain.id))
      if (Result.isFailure(quorum)) return yield* unavailable("not-served")
      const answers = yield* Queue.unbounded<{ readonly host: string; readonly heard: Result.Result<A, ChainUnavailable> }>()
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

    return EthereumRpc.of({ agreed, call })
  })
)
