/** Evidence of an EVM chain under the quorum of its endpoints (QUORUM-1). `adapters/quorum` collects the quorum. */
import { Context, Effect, Layer } from "effect"
import { ChainObserver } from "../../../ports/chain/ChainObserver.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { jsonRpc } from "../../quorum/Endpoints.ts"
import type { ObservedEndpoints } from "../../quorum/Endpoints.ts"
import { makeObserver } from "../../quorum/Observing.ts"
import type { FamilyReader } from "../../quorum/AskEndpoints.ts"
import { readTransaction } from "./ReadTransaction.ts"

export { observedEndpoints } from "../../quorum/Endpoints.ts"
export type { ObservedEndpoints } from "../../quorum/Endpoints.ts"

/** The endpoints of every observed EVM chain, and how many of them must agree. */
export class EthereumQuorums extends Context.Service<EthereumQuorums, {
  readonly of: ReadonlyMap<ChainId, ObservedEndpoints>
  /**
   * Deadline of one request to one endpoint, milliseconds. Default 4,000. An observation takes two requests, and a
   * little more.
   */
  readonly deadlineMs?: number
}>()("causeway/adapters/ethereum/EthereumQuorums") {}

const reader: FamilyReader = {
  read: readTransaction,
  isOn: (rpc, chain, deadline) =>
    Effect.map(
      rpc.batch([{ method: "eth_chainId", params: [] }], deadline),
      ([answer]) => typeof answer === "string" && Number(answer) === chain.id
    ),
  open: jsonRpc()
}

export const layer = Layer.effect(
  ChainObserver,
  Effect.flatMap(EthereumQuorums, (quorums) => makeObserver(reader, quorums))
)
