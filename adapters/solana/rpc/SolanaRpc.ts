/**
 * The one way of the transfer service to call a Solana chain: its endpoints in rotation (`Rotation`), each asked for
 * its genesis before it is used, spoken to by kit over connections that are kept. What oracles attest is read under a
 * quorum instead (`Observer`), over the same connections' code.
 */
import { createSolanaRpcFromTransport } from "@solana/kit"
import type { Rpc, SolanaRpcApi } from "@solana/kit"
import { Context, Effect, Layer } from "effect"
import { makeRotation } from "../../endpoints/Rotation.ts"
import type { EndpointFamily, EndpointFault, ListedEndpoints, Rotation } from "../../endpoints/Rotation.ts"
import { makeJsonRpcPool } from "../../quorum/rpc/JsonRpcPool.ts"
import { kitTransport, NotAnswered } from "./KitTransport.ts"
import { solanaStyle } from "./SolanaStyle.ts"

export { NodeIsBehind } from "../../endpoints/NodeIsBehind.ts"

/** The endpoints of every Solana chain. */
export class SolanaEndpoints
  extends Context.Service<SolanaEndpoints, ListedEndpoints>()("causeway/adapters/solana/SolanaEndpoints")
{}

/** One endpoint, as kit calls it. */
export type SolanaClient = Rpc<SolanaRpcApi>

export class SolanaRpc
  extends Context.Service<SolanaRpc, Rotation<SolanaClient>>()("causeway/adapters/solana/SolanaRpc")
{}

/**
 * What an answer means, or that it has no place in our decoders, is the caller's; that there was none is the
 * transport's.
 */
const faultOf = (cause: unknown): EndpointFault => cause instanceof NotAnswered ? cause.kind : "refused"

export const family: EndpointFamily<SolanaClient> = {
  open: (url, requestMs) =>
    Effect.map(
      makeJsonRpcPool(url, solanaStyle),
      (pool) => createSolanaRpcFromTransport(kitTransport(pool, requestMs))
    ),
  isOn: async (client, { genesisHash }) => (await client.getGenesisHash().send()) === genesisHash,
  faultOf
}

export const layer = Layer.effect(SolanaRpc, Effect.flatMap(SolanaEndpoints, (listed) => makeRotation(family, listed)))
