/**
 * Withdrawals of a Solana cluster: whether the depository program has the account of a used request, at a final slot
 * under the quorum of the cluster's endpoints (SOLANA-5, QUORUM-1). The judge derives the status.
 */
import { Effect, Layer } from "effect"
import { WithdrawalObserver } from "../../../ports/chain/WithdrawalObserver.ts"
import { usedRequestOf } from "../../../src/domain/families/solana/evidence/Programs.ts"
import { jsonRpc } from "../../quorum/Endpoints.ts"
import { makeWithdrawalObserver, stateOfUsed } from "../../quorum/ObservingWithdrawals.ts"
import type { WithdrawalReader } from "../../quorum/ObservingWithdrawals.ts"
import type { JsonRpc } from "../../quorum/rpc/JsonRpc.ts"
import { solanaStyle } from "../rpc/SolanaStyle.ts"
import { SolanaQuorums } from "./Observer.ts"
import { usedRequestReading } from "./ReadUsedRequest.ts"

const reader: WithdrawalReader<boolean, JsonRpc> = {
  name: "SolanaWithdrawals",
  open: jsonRpc(solanaStyle),
  reading: (chain, { id }) => {
    const account = usedRequestOf(chain.depository, id)
    return account === undefined ? undefined : usedRequestReading(chain, account)
  },
  stateOf: stateOfUsed
}

export const layer = Layer.effect(
  WithdrawalObserver,
  Effect.flatMap(SolanaQuorums, (quorums) => makeWithdrawalObserver(reader, quorums))
)
