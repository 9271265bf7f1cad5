/**
 * One viem client a chain, and the one way to call it: with a deadline, and with a failure that carries no URL.
 *
 * SECURITY: nodes put URLs with keys into their errors, and viem puts them into its messages. Nothing of a cause leaves
 * this file; what callers see is the chain's slug and the name of the operation.
 */
import { Context, Effect, Layer, Redacted } from "effect"
import { createPublicClient, fallback, http } from "viem"
import type { PublicClient } from "viem"
import { ChainUnavailable } from "../../ports/ChainUnavailable.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../src/domain/chain/ChainId.ts"

/** The endpoints of every EVM chain, in order of preference. */
export class EthereumEndpoints extends Context.Service<EthereumEndpoints, {
  readonly urls: ReadonlyMap<ChainId, ReadonlyArray<Redacted.Redacted>>
}>()("causeway/adapters/ethereum/EthereumEndpoints") {}

export class EthereumRpc extends Context.Service<EthereumRpc, {
  /** Runs `call` against the chain's client; anything that goes wrong is `ChainUnavailable`. */
  readonly call: <A>(
    chain: Chain,
    operation: string,
    call: (client: PublicClient) => Promise<A>
  ) => Effect.Effect<A, ChainUnavailable>
}>()("causeway/adapters/ethereum/EthereumRpc") {}

const CALL_TIMEOUT_MS = 5_000

/** Calls made in the same tick travel in one HTTP request. */
const makeClient = (urls: ReadonlyArray<Redacted.Redacted>): PublicClient =>
  createPublicClient({
    transport: fallback(
      urls.map((url) => http(Redacted.value(url), { batch: { batchSize: 50, wait: 0 }, timeout: CALL_TIMEOUT_MS, retryCount: 1, retryDelay: 100 })),
      { retryCount: 0 }
    ),
    cacheTime: 0
  })

interface Verified {
  readonly client: PublicClient
  /** Set once the node has said that it is on the right chain. */
  verified: boolean
}

export const layer = Layer.effect(
  EthereumRpc,
  Effect.gen(function*() {
    const endpoints = yield* EthereumEndpoints
    const clients = new Map<ChainId, Verified>()

    const clientOf = (chain: Chain): Verified | undefined => {
      const known = clients.get(chain.id)
      if (known !== undefined) return known
      const urls = endpoints.urls.get(chain.id)
      if (urls === undefined || urls.length === 0) return undefined
      const made = { client: makeClient(urls), verified: false }
      clients.set(chain.id, made)
      return made
    }

    const call = <A>(chain: Chain, operation: string, run: (client: PublicClient) => Promise<A>) =>
      Effect.suspend(() => {
        const held = clientOf(chain)
        if (held === undefined) return Effect.fail(new ChainUnavailable({ chain: chain.slug, operation }))
        return Effect.tryPromise({
          try: async () => {
            if (!held.verified) {
              const id = await held.client.getChainId()
              if (id !== chain.id) throw new Error("the endpoint answers for another chain")
              held.verified = true
            }
            return await run(held.client)
          },
          catch: () => new ChainUnavailable({ chain: chain.slug, operation })
        })
      }).pipe(
        Effect.timeoutOrElse({
          duration: CALL_TIMEOUT_MS * 2,
          orElse: () => Effect.fail(new ChainUnavailable({ chain: chain.slug, operation }))
        })
      )

    return EthereumRpc.of({ call })
  })
)
