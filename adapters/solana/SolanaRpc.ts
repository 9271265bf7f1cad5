/**
 * The one way of the transfer service to call a Solana chain: its endpoints in order, each with a deadline of its own, and one
 * endpoint for the whole of a logical read, so that an answer is never put together from two nodes.
 *
 * An endpoint is used only after it has named the chain's genesis, and is asked again after every failure; one that did not
 * answer comes last for a while. What oracles attest is read under a quorum instead (`Observer`).
 * SECURITY: URLs hold keys, and errors hold URLs. Nothing of a cause leaves this file but its kind.
 */
import { createDefaultRpcTransport, createSolanaRpcFromTransport, isSolanaError, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR } from "@solana/kit"
import type { Rpc, RpcTransport, SolanaRpcApi } from "@solana/kit"
import { Clock, Context, Duration, Effect, Layer, Redacted, Schedule } from "effect"
import { ChainUnavailable } from "../../ports/ChainUnavailable.ts"
import type { ChainFault } from "../../ports/ChainUnavailable.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../src/domain/chain/ChainId.ts"

/** The endpoints of every Solana chain, in order of preference. */
export class SolanaEndpoints extends Context.Service<SolanaEndpoints, {
  readonly urls: ReadonlyMap<ChainId, ReadonlyArray<Redacted.Redacted>>
}>()("causeway/adapters/solana/SolanaEndpoints") {}

/** One endpoint, as kit calls it. */
export type SolanaClient = Rpc<SolanaRpcApi>

export class SolanaRpc extends Context.Service<SolanaRpc, {
  /** Runs `call` against one endpoint of the chain; anything that goes wrong is `ChainUnavailable`. */
  readonly call: <A>(chain: Chain, operation: string, call: (client: SolanaClient) => Promise<A>) => Effect.Effect<A, ChainUnavailable>
}>()("causeway/adapters/solana/SolanaRpc") {}

/** The endpoint knows less than was known before: another one, or the same one later, will do. */
export class NodeIsBehind extends Error {}

class WrongChain extends Error {}

const REQUEST_TIMEOUT_MS = 4_000
const ENDPOINT_TIMEOUT_MS = 8_000

/** How long an endpoint that did not answer comes last. */
const REST_MS = 30_000

const AGAIN_AFTER = Duration.millis(100)

interface Endpoint {
  readonly client: SolanaClient
  verified: boolean
  /** Milliseconds. */
  restsUntil: number
}

/** Credentials of a URL go where they belong: into a header. */
const transportTo = (url: Redacted.Redacted): RpcTransport => {
  const target = new URL(Redacted.value(url))
  const { password, username } = target
  const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64")
  target.username = ""
  target.password = ""
  const headers = username === "" && password === "" ? {} : { headers: { authorization: `Basic ${basic}` } }
  const inner = createDefaultRpcTransport({ url: target.href, ...headers })
  return ({ payload, signal }) => {
    const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
    return inner({ payload, signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]) })
  }
}

const makeEndpoint = (url: Redacted.Redacted): Endpoint => ({
  client: createSolanaRpcFromTransport(transportTo(url)),
  verified: false,
  restsUntil: 0
})

const faultOf = (cause: unknown): ChainFault => {
  if (cause instanceof NodeIsBehind) return "behind"
  if (cause instanceof WrongChain) return "wrong-chain"
  if (cause instanceof DOMException && (cause.name === "TimeoutError" || cause.name === "AbortError")) return "timeout"
  if (isSolanaError(cause, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR) || cause instanceof TypeError) return "unreachable"
  return "refused"
}

const inOrder = (endpoints: ReadonlyArray<Endpoint>, now: number): ReadonlyArray<Endpoint> =>
  endpoints.toSorted((one, other) => Number(one.restsUntil > now) - Number(other.restsUntil > now))

/** A node that answers is no worse than the next one, whatever it says. */
const isUseless = (kind: ChainFault): boolean => kind === "timeout" || kind === "unreachable" || kind === "wrong-chain"

const ask = async <A>(endpoint: Endpoint, { genesisHash }: Chain, run: (client: SolanaClient) => Promise<A>): Promise<A> => {
  if (!endpoint.verified) {
    if ((await endpoint.client.getGenesisHash().send()) !== genesisHash) throw new WrongChain()
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
  SolanaRpc,
  Effect.gen(function*() {
    const { urls } = yield* SolanaEndpoints
    const endpoints = new Map([...urls].map(([id, listed]) => [id, listed.map(makeEndpoint)] as const))

    const askOne = <A>(endpoint: Endpoint, chain: Chain, operation: string, run: (client: SolanaClient) => Promise<A>) => {
      const unavailable = (kind: ChainFault) => new ChainUnavailable({ chain: chain.slug, operation, kind })
      return Effect.tryPromise({
        try: () => ask(endpoint, chain, run),
        catch: (cause) => unavailable(faultOf(cause))
      }).pipe(
        Effect.timeoutOrElse({ duration: ENDPOINT_TIMEOUT_MS, orElse: () => Effect.fail(unavailable("timeout")) }),
        Effect.tapError(({ kind }) => isUseless(kind)
          ? Effect.map(Clock.currentTimeMillis, (now) => { endpoint.restsUntil = now + REST_MS })
          : Effect.void)
      )
    }

    const call = Effect.fnUntraced(function*<A>(chain: Chain, operation: string, run: (client: SolanaClient) => Promise<A>) {
      const ordered = inOrder(endpoints.get(chain.id) ?? [], yield* Clock.currentTimeMillis)
      const [first, ...others] = ordered.map((endpoint) => askOne(endpoint, chain, operation, run))
      if (first === undefined) return yield* new ChainUnavailable({ chain: chain.slug, operation, kind: "not-served" })
      const tried = others.reduce((before, next) => before.pipe(Effect.catch(() => next)), first)
      // One request that is dropped is no news of a chain: it is made again, a little later.
      return yield* Effect.retry(tried, { schedule: Schedule.exponential(AGAIN_AFTER).pipe(Schedule.jittered), times: 2, while: ({ kind }) => kind === "unreachable" })
    })

    return SolanaRpc.of({ call })
  })
)
