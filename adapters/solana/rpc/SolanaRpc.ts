/**
 * The transfer service's only way to call a Solana chain: its endpoints in rotation (`Rotation`). Each endpoint's
 * genesis is checked before use. kit calls them over kept-alive connections. Oracles read under a quorum instead
 * (`Observer`), with the same connection code.
 */
import { createSolanaRpcFromTransport } from "@solana/kit"
import { Context, Effect, Layer } from "effect"
import { makeRotation } from "../../endpoints/Rotation.ts"
import type { EndpointFamily, EndpointFault } from "../../endpoints/AskEndpoint.ts"
import type { ListedEndpoints, Rotation } from "../../endpoints/Rotation.ts"
import { makeJsonRpcPool } from "../../quorum/rpc/JsonRpcPool.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { kitTransport, NotAnswered } from "./KitTransport.ts"
import { greatestOf, readRent, rentsBy } from "./Rent.ts"
import type { SolanaClient } from "./SolanaClient.ts"
import { solanaStyle } from "./SolanaStyle.ts"

export { NodeIsBehind } from "../../endpoints/NodeIsBehind.ts"
export type { SolanaClient } from "./SolanaClient.ts"

/** The endpoints of every Solana chain. */
export class SolanaEndpoints
  extends Context.Service<SolanaEndpoints, ListedEndpoints>()("causeway/adapters/solana/SolanaEndpoints")
{}

export class SolanaRpc
  extends Context.Service<SolanaRpc, Rotation<SolanaClient>>()("causeway/adapters/solana/SolanaRpc")
{}

/** The caller judges an answer, also one that our decoders refuse. The transport reports that there was none. */
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

/** The endpoints, each with the rent of its chain by the quorum, unless a single host decides there. */
export const layer = Layer.effect(
  SolanaRpc,
  Effect.gen(function*() {
    const listed = yield* SolanaEndpoints
    const run = Effect.runPromiseWith(yield* Effect.context())
    const rentsOn = new Map<ChainId, ReturnType<typeof rentsBy>>()
    const isOn: typeof family.isOn = async (client, chain) => {
      if (!(await family.isOn(client, chain))) return false
      const shared = rentsOn.get(chain.id) ??
        rentsBy((bytes) => run(rotation.agreed(chain, "rent", (each) => readRent(each, bytes), greatestOf)))
      rentsOn.set(chain.id, shared)
      // Before it is used for anything else.
      if (!rotation.isAlone(chain)) shared(client)
      return true
    }
    const rotation: Rotation<SolanaClient> = yield* makeRotation({ ...family, isOn }, listed)
    return rotation
  })
)
