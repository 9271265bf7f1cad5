/** Evidence of a Solana cluster under the quorum of its endpoints (QUORUM-1), always at commitment finalized. */
import { Context, Effect, Layer } from "effect"
import { ChainObserver } from "../../../ports/chain/ChainObserver.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { jsonRpc } from "../../quorum/Endpoints.ts"
import type { ObservedEndpoints } from "../../quorum/Endpoints.ts"
import { makeObserver } from "../../quorum/Observing.ts"
import type { FamilyReader } from "../../quorum/AskEndpoints.ts"
import { genesisCall, isGenesis, readTransaction } from "./ReadTransaction.ts"
import { solanaStyle } from "../rpc/SolanaStyle.ts"

/** The endpoints of every observed Solana cluster, and how many of them must agree. */
export class SolanaQuorums extends Context.Service<SolanaQuorums, {
  readonly of: ReadonlyMap<ChainId, ObservedEndpoints>
  /**
   * Deadline of one request to one endpoint, milliseconds. Default 4,000. An observation takes up to three requests,
   * and a little more.
   */
  readonly deadlineMs?: number
}>()("causeway/adapters/solana/SolanaQuorums") {}

const reader: FamilyReader = {
  read: readTransaction,
  isOn: (rpc, chain, deadline) =>
    Effect.map(rpc.batch([genesisCall], deadline), ([answer]) => isGenesis(chain, answer)),
  open: jsonRpc(solanaStyle)
}

export const layer = Layer.effect(
  ChainObserver,
  Effect.flatMap(SolanaQuorums, (quorums) => makeObserver(reader, quorums))
)
