/**
 * The transfer service's only way to call a Tron chain: its nodes in rotation (`Rotation`). Each node's chain is checked
 * before use, by its number and its first block. Oracles read under a quorum instead (`Observer`), with the same calls.
 */
import { Context, Effect, Layer } from "effect"
import type { EndpointFamily } from "../../endpoints/AskEndpoint.ts"
import { faultOf, readerOf } from "../../endpoints/EndpointReader.ts"
import type { EndpointRead, EndpointReader, EndpointReadFault } from "../../endpoints/EndpointReader.ts"
import { makeRotation } from "../../endpoints/Rotation.ts"
import type { ListedEndpoints, Rotation } from "../../endpoints/Rotation.ts"
import { isOn } from "../observe/ReadPlace.ts"
import { remembering } from "./RecentAnswers.ts"
import { openTron } from "./TronNode.ts"
import type { TronNode } from "./TronNode.ts"

/** The nodes of every Tron chain. */
export class TronEndpoints
  extends Context.Service<TronEndpoints, ListedEndpoints>()("causeway/adapters/tron/TronEndpoints")
{}

export type TronFault = EndpointReadFault

/** Reads of one node. */
export type TronRead<A> = EndpointRead<TronNode, A>

/** One node. */
export interface TronClient extends EndpointReader<TronNode> {
  /** For quotes: some answers may be up to `FACTS_MAX_AGE_MS` old. */
  readonly readRecent: TronClient["read"]
}

export class TronRpc extends Context.Service<TronRpc, Rotation<TronClient>>()("causeway/adapters/tron/TronRpc") {}

const familyOf = ({ factsMaxAgeMs = 0 }: ListedEndpoints): EndpointFamily<TronClient> => ({
  open: Effect.fnUntraced(function*(url, requestMs) {
    const node = yield* openTron(url)
    return {
      ...readerOf(node, requestMs),
      readRecent: readerOf(yield* remembering(node, factsMaxAgeMs, requestMs), requestMs).read
    }
  }),
  isOn: (client, chain) => client.read((node, deadline) => isOn(node, chain, deadline)),
  faultOf
})

export const layer = Layer.effect(
  TronRpc,
  Effect.flatMap(TronEndpoints, (listed) => makeRotation(familyOf(listed), listed))
)
