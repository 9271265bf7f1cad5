/**
 * The transfer service's only way to call a Tron chain: its nodes in rotation (`Rotation`). Each node's chain is checked
 * before use, by its number and its first block. Oracles read under a quorum instead (`Observer`), with the same calls.
 */
import { Context, Effect, Layer, Result } from "effect"
import type { EndpointFamily, EndpointFault } from "../../endpoints/AskEndpoint.ts"
import { NodeIsBehind } from "../../endpoints/NodeIsBehind.ts"
import { makeRotation } from "../../endpoints/Rotation.ts"
import type { ListedEndpoints, Rotation } from "../../endpoints/Rotation.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { isOn } from "../observe/ReadPlace.ts"
import { remembering } from "./RecentAnswers.ts"
import { openTron } from "./TronNode.ts"
import type { TronNode } from "./TronNode.ts"

/** The nodes of every Tron chain. */
export class TronEndpoints
  extends Context.Service<TronEndpoints, ListedEndpoints>()("causeway/adapters/tron/TronEndpoints")
{}

/** `behind`: the node cannot answer yet, or its solidified and its full part are apart. */
export type TronFault = ReadFault | "behind"

/** Reads of one node. `deadline` in milliseconds, for one request. */
export type TronRead<A> = (node: TronNode, deadline: number) => Effect.Effect<A, TronFault>

/** One node. Rejects when it does not answer, or cannot yet. */
export interface TronClient {
  readonly read: <A>(read: TronRead<A>) => Promise<A>
  /** For quotes: some answers may be up to `FACTS_MAX_AGE_MS` old. */
  readonly readRecent: <A>(read: TronRead<A>) => Promise<A>
}

export class TronRpc extends Context.Service<TronRpc, Rotation<TronClient>>()("causeway/adapters/tron/TronRpc") {}

class NotAnswered extends Error {
  readonly kind: EndpointFault
  constructor(kind: EndpointFault) {
    super(kind)
    this.kind = kind
  }
}

/** An answer that cannot be true is a refusal to answer: another node is asked. */
const causeOf = (fault: TronFault): Error =>
  fault === "behind"
    ? new NodeIsBehind()
    : new NotAnswered(fault === "timeout" || fault === "unreachable" ? fault : "refused")

const readingOf = (node: TronNode, requestMs: number): TronClient["read"] => async (read) =>
  Result.getOrThrowWith(await Effect.runPromise(Effect.result(read(node, requestMs))), causeOf)

const familyOf = ({ factsMaxAgeMs = 0 }: ListedEndpoints): EndpointFamily<TronClient> => ({
  open: Effect.fnUntraced(function*(url, requestMs) {
    const node = yield* openTron(url)
    return {
      read: readingOf(node, requestMs),
      readRecent: readingOf(yield* remembering(node, factsMaxAgeMs, requestMs), requestMs)
    }
  }),
  isOn: (client, chain) => client.read((node, deadline) => isOn(node, chain, deadline)),
  faultOf: (cause) => cause instanceof NotAnswered ? cause.kind : "refused"
})

export const layer = Layer.effect(
  TronRpc,
  Effect.flatMap(TronEndpoints, (listed) => makeRotation(familyOf(listed), listed))
)
