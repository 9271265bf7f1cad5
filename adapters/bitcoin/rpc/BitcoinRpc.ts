/**
 * The transfer service's only way to call a Bitcoin chain: its nodes in rotation (`Rotation`). That each
 * node is on the chain is checked before use. Oracles read under a quorum instead (`Observer`), with the same calls.
 */
import { Context, Effect, Layer } from "effect"
import type { EndpointFamily } from "../../endpoints/AskEndpoint.ts"
import { faultOf, readerOf } from "../../endpoints/EndpointReader.ts"
import type { EndpointRead, EndpointReader, EndpointReadFault } from "../../endpoints/EndpointReader.ts"
import { makeRotation } from "../../endpoints/Rotation.ts"
import type { ListedEndpoints, Rotation } from "../../endpoints/Rotation.ts"
import { isOnChain } from "../observe/ReadPlace.ts"
import { identityCall, openCore } from "./CoreRpc.ts"
import type { CoreRpc } from "./CoreRpc.ts"

/** The nodes of every Bitcoin chain. */
export class BitcoinEndpoints
  extends Context.Service<BitcoinEndpoints, ListedEndpoints>()("causeway/adapters/bitcoin/BitcoinEndpoints")
{}

export type BitcoinFault = EndpointReadFault

/** Reads of one node. */
export type BitcoinRead<A> = EndpointRead<CoreRpc, A>

/** One node. */
export type BitcoinClient = EndpointReader<CoreRpc>

export interface BitcoinRotation extends Rotation<BitcoinClient> {
  /** The same nodes, for reads that take a node minutes. The read sets shorter deadlines for its other requests. */
  readonly patient: Rotation<BitcoinClient>
}

export class BitcoinRpc
  extends Context.Service<BitcoinRpc, BitcoinRotation>()("causeway/adapters/bitcoin/BitcoinRpc")
{}

/** Milliseconds that a node may take to look at all unspent outputs. */
const SCAN_MS = 290_000

export const family: EndpointFamily<BitcoinClient> = {
  open: (url, requestMs) => Effect.map(openCore(url), (core) => readerOf(core, requestMs)),
  isOn: (client, chain) =>
    client.read((rpc, deadline) =>
      Effect.map(rpc.answers([identityCall(chain)], deadline), ([answer]) => isOnChain(chain, answer))
    ),
  faultOf
}

export const layer = Layer.effect(
  BitcoinRpc,
  Effect.gen(function*() {
    const listed = yield* BitcoinEndpoints
    const patient = yield* makeRotation(family, listed, { requestMs: SCAN_MS, endpointMs: SCAN_MS })
    return { ...yield* makeRotation(family, listed), patient }
  })
)
