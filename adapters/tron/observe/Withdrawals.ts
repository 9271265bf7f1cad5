/**
 * Withdrawals of a Tron chain: whether the depository has used a call request, in the solidified state under the quorum
 * of the chain's nodes (TRON-3, QUORUM-1). The judge derives the status.
 */
import { Effect, Layer } from "effect"
import { WithdrawalObserver } from "../../../ports/chain/WithdrawalObserver.ts"
import { makeWithdrawalObserver, stateOfUsed } from "../../quorum/ObservingWithdrawals.ts"
import type { WithdrawalReader } from "../../quorum/ObservingWithdrawals.ts"
import { openTron } from "../rpc/TronNode.ts"
import type { TronNode } from "../rpc/TronNode.ts"
import { TronQuorums } from "./Observer.ts"
import { callRequestReading } from "./ReadCallRequest.ts"

const reader: WithdrawalReader<boolean, TronNode> = {
  name: "TronWithdrawals",
  open: openTron,
  reading: (chain, { id }) => callRequestReading(chain, id),
  stateOf: stateOfUsed
}

export const layer = Layer.effect(
  WithdrawalObserver,
  Effect.flatMap(TronQuorums, (quorums) => makeWithdrawalObserver(reader, quorums))
)
