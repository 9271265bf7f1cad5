/**
 * The only way to call an EVM chain: its endpoints in rotation (`Rotation`). Each endpoint's chain id is checked before
 * use. viem calls them over kept-alive connections.
 */
import { Context, Effect, Layer } from "effect"
import { BaseError, createPublicClient, HttpRequestError, TimeoutError } from "viem"
import type { PublicClient } from "viem"
import { makeRotation } from "../../endpoints/Rotation.ts"
import type { EndpointFamily, EndpointFault } from "../../endpoints/AskEndpoint.ts"
import type { ListedEndpoints, Rotation } from "../../endpoints/Rotation.ts"
import { makeJsonRpcPool } from "../../quorum/rpc/JsonRpcPool.ts"
import { viemTransport } from "./ViemTransport.ts"

export { NodeIsBehind } from "../../endpoints/NodeIsBehind.ts"

/** The endpoints of every EVM chain. */
export class EthereumEndpoints
  extends Context.Service<EthereumEndpoints, ListedEndpoints>()("causeway/adapters/ethereum/EthereumEndpoints")
{}

/**
 * A named type: otherwise the package's declarations would spell out viem's client with types that viem does not
 * export.
 */
export interface EthereumClient extends PublicClient {}

export class EthereumRpc
  extends Context.Service<EthereumRpc, Rotation<EthereumClient>>()("causeway/adapters/ethereum/EthereumRpc")
{}

const faultOf = (cause: unknown): EndpointFault => {
  if (!(cause instanceof BaseError)) return "refused"
  if (cause.walk((error) => error instanceof TimeoutError) !== null) return "timeout"
  return cause.walk((error) => error instanceof HttpRequestError) === null ? "refused" : "unreachable"
}

export const family: EndpointFamily<EthereumClient> = {
  open: (url, requestMs) =>
    Effect.map(
      makeJsonRpcPool(url),
      (pool) => createPublicClient({ transport: viemTransport(pool, requestMs), cacheTime: 0 })
    ),
  isOn: async (client, { id }) => (await client.getChainId()) === id,
  faultOf
}

export const layer = Layer.effect(
  EthereumRpc,
  Effect.flatMap(EthereumEndpoints, (listed) => makeRotation(family, listed))
)
