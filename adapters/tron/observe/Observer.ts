/** Evidence of a Tron chain under the quorum of its nodes (QUORUM-1). `adapters/quorum` collects the quorum. */
import { Context, Effect, Layer } from "effect"
import { ChainObserver } from "../../../ports/chain/ChainObserver.ts"
import { makeObserver } from "../../quorum/Observing.ts"
import type { FamilyReader } from "../../quorum/AskEndpoints.ts"
import type { FamilyQuorums } from "../../quorum/Observing.ts"
import { isOn } from "./ReadPlace.ts"
import { readTransaction } from "./ReadTransaction.ts"
import { openTron } from "../rpc/TronNode.ts"
import type { TronNode } from "../rpc/TronNode.ts"

/** The nodes of every observed Tron chain, and how many of them must agree. */
export class TronQuorums extends Context.Service<TronQuorums, FamilyQuorums>()("causeway/adapters/tron/TronQuorums") {}

const reader: FamilyReader<TronNode> = { read: readTransaction, isOn, open: openTron }

export const layer = Layer.effect(
  ChainObserver,
  Effect.flatMap(TronQuorums, (quorums) => makeObserver(reader, quorums))
)
