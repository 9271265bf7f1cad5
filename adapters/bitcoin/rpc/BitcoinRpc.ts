/**
 * The transfer service's only way to call a Bitcoin chain: its nodes in rotation (`Rotation`). Each node's first block
 * is checked before use. Oracles read under a quorum instead (`Observer`), with the same calls.
 */
import { Context, Effect, Layer, Result } from "effect"
import type { EndpointFamily, EndpointFault } from "../../endpoints/AskEndpoint.ts"
import { NodeIsBehind } from "../../endpoints/NodeIsBehind.ts"
import { makeRotation } from "../../endpoints/Rotation.ts"
import type { ListedEndpoints, Rotation } from "../../endpoints/Rotation.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { isGenesis } from "../observe/ReadPlace.ts"
import { genesisCall, openCore } from "./CoreRpc.ts"
import type { CoreRpc } from "./CoreRpc.ts"

/** The nodes of every Bitcoin chain. */
export class BitcoinEndpoints
  extends Context.Service<BitcoinEndpoints, ListedEndpoints>()("causeway/adapters/bitcoin/BitcoinEndpoints")
{}

/** `behind`: the node cannot answer yet, and what it shows contradicts what is known. */
export type BitcoinFault = ReadFault | "behind"

/** Reads of one node. `deadline` in milliseconds, for one request. */
export type BitcoinRead<A> = (rpc: CoreRpc, deadline: number) => Effect.Effect<A, BitcoinFault>

/** One node. Rejects when it does not answer, or cannot yet. */
export interface BitcoinClient {
  readonly read: <A>(read: BitcoinRead<A>) => Promise<A>
}

export interface BitcoinRotation extends Rotation<BitcoinClient> {
  /** The same nodes, for reads that take a node minutes. The read sets shorter deadlines for its other requests. */
  readonly patient: Rotation<BitcoinClient>
}

export class BitcoinRpc
  extends Context.Service<BitcoinRpc, BitcoinRotation>()("causeway/adapters/bitcoin/BitcoinRpc")
{}

/** Milliseconds that a node may take to look at all unspent outputs. */
const SCAN_MS = 290_000

class NotAnswered extends Error {
  readonly kind: EndpointFault
  constructor(kind: EndpointFault) {
    super(kind)
    this.kind = kind
  }
}

/** What a node says that cannot be is a refusal to answer: another node is asked. */
const causeOf = (fault: BitcoinFault): Error =>
  fault === "behind"
    ? new NodeIsBehind()
    : new NotAnswered(fault === "timeout" || fault === "unreachable" ? fault : "refused")

export const family: EndpointFamily<BitcoinClient> = {
  open: (url, requestMs) =>
    Effect.map(openCore(url), (rpc): BitcoinClient => ({
      read: async (read) => Result.getOrThrowWith(await Effect.runPromise(Effect.result(read(rpc, requestMs))), causeOf)
    })),
  isOn: (client, chain) =>
    client.read((rpc, deadline) =>
      Effect.map(rpc.answers([genesisCall], deadline), ([answer]) => isGenesis(chain, answer))
    ),
  faultOf: (cause) => cause instanceof NotAnswered ? cause.kind : "refused"
}

export const layer = Layer.effect(
  BitcoinRpc,
  Effect.gen(function*() {
    const listed = yield* BitcoinEndpoints
    const patient = yield* makeRotation(family, listed, { requestMs: SCAN_MS, endpointMs: SCAN_MS })
    return { ...yield* makeRotation(family, listed), patient }
  })
)
