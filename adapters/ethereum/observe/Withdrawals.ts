/**
 * Withdrawals of an EVM chain: whether the depository has used a call request, at a final block under the quorum of the
 * chain's endpoints (EVM-6, QUORUM-1). The judge derives the status.
 */
import { Effect, Layer } from "effect"
import { encodeFunctionData } from "viem"
import { WithdrawalObserver } from "../../../ports/chain/WithdrawalObserver.ts"
import { jsonRpc } from "../../quorum/Endpoints.ts"
import { makeWithdrawalObserver, stateOfUsed } from "../../quorum/ObservingWithdrawals.ts"
import type { WithdrawalReader } from "../../quorum/ObservingWithdrawals.ts"
import type { JsonRpc } from "../../quorum/rpc/JsonRpc.ts"
import { abi } from "../contracts/artifacts/Depository.ts"
import { viemHex } from "../rpc/ViemHex.ts"
import { readingOf } from "./CallAtFinal.ts"
import { EthereumQuorums } from "./Observer.ts"

const usedOf = (word: bigint): boolean | undefined => word === 0n ? false : word === 1n ? true : undefined

const reader: WithdrawalReader<boolean, JsonRpc> = {
  name: "EthereumWithdrawals",
  open: jsonRpc(),
  reading: (chain, { id }) =>
    readingOf(chain, {
      to: chain.depository,
      data: encodeFunctionData({ abi, functionName: "callRequests", args: [viemHex(id)] }),
      valueOf: usedOf
    }),
  stateOf: stateOfUsed
}

export const layer = Layer.effect(
  WithdrawalObserver,
  Effect.flatMap(EthereumQuorums, (quorums) => makeWithdrawalObserver(reader, quorums))
)
