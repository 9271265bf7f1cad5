/**
 * The one way to call an EVM chain: its endpoints in order, each with a deadline of its own, and one endpoint for the
 * whole of a logical read, so that an answer is never put together from two nodes.
 *
 * An endpoint is used only after it has said that it is on the right chain, and is asked again after every failure.
 * One that did not answer, or is on another chain, comes last for a while: it would otherwise slow down every read.
 * SECURITY: nodes put URLs with keys into their errors, and viem puts them into its messages. Nothing of a cause leaves
 * this file but its kind.
 */
import { Clock, Context, Duration, Effect, Layer, Schedule } from "effect"
import type { Redacted } from "effect"
import { BaseError, createPublicClient, HttpRequestError, TimeoutError } from "viem"
import type { PublicClient } from "viem"
import { ChainUnavailable } from "../../ports/ChainUnavailable.ts"
import type { ChainFault } from "../../ports/ChainUnavailable.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../src/domain/chain/ChainId.ts"
import { makeJsonRpcPool } from "./rpc/JsonRpcPool.ts"
import { viemTransport } from "./rpc/ViemTransport.ts"

/** The endpoints of every EVM chain, in order of preference. */
export class EthereumEndpoints extends Context.Service<EthereumEndpoints, {
  readonly urls: ReadonlyMap<ChainId, ReadonlyArray<Redacted.Redacted>>
}>()("causeway/adapters/ethereum/EthereumEndpoints") {}

export class EthereumRpc extends Context.Service<EthereumRpc, {
  /** Runs `call` against one endpoint of the chain; anything that goes wrong is `ChainUnavailable`. */
  readonly call: <A>(
    chain: Chain,
    operation: string,
    call: (client: PublicClient) => Promise<A>
  ) => Effect.Effect<A, ChainUnavailable>
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
  /** True while the endpoint is known to be on the right chain. */
  verified: boolean
  /** Until then, in milliseconds, the others are asked first. */
  restsUntil: number
}

const makeEndpoint = (url: Redacted.Redacted) =>
  Effect.map(makeJsonRpcPool(url), (pool): Endpoint => ({
    client: createPublicClient({ transport: viemTransport(pool, REQUEST_TIMEOUT_MS), cacheTime: 0 }),
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
    const { urls } = yield* EthereumEndpoints
    const endpoints = new Map(yield* Effect.forEach(urls, ([id, listed]) => Effect.map(Effect.forEach(listed, makeEndpoint), (made) => [id, made] as const)))

    const call = Effect.fnUntraced(function*<A>(chain: Chain, operation: string, run: (client: PublicClient) => Promise<A>) {
      const unavailable = (kind: ChainFault) => new ChainUnavailable({ chain: chain.slug, operation, kind })
      const ordered = inOrder(endpoints.get(chain.id) ?? [], yield* Clock.currentTimeMillis)
      const [first, ...others] = ordered.map((endpoint) =>
        Effect.tryPromise({
          try: () => ask(endpoint, chain, run),
          catch: (cause) => unavailable(faultOf(cause))
        }).pipe(
          Effect.timeoutOrElse({ duration: ENDPOINT_TIMEOUT_MS, orElse: () => Effect.fail(unavailable("timeout")) }),
          Effect.tapError(({ kind }) => isUseless(kind) ? rest(endpoint) : Effect.void)
        ))
      if (first === undefined) return yield* unavailable("not-served")
      // One request that is dropped or refused for its number is no news of a chain: it is made again, a little later.
      return yield* others.reduce((tried, next) => tried.pipe(Effect.catch(() => next)), first).pipe(
        Effect.retry({ schedule: Schedule.exponential(AGAIN_AFTER).pipe(Schedule.jittered), times: 2, while: ({ kind }) => kind === "unreachable" })
      )
    })

    return EthereumRpc.of({ call })
  })
)
