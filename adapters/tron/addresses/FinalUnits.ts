/**
 * What a deposit address holds in solidified blocks (TRON-20). Only that counts: a sweep is then never signed for money
 * that a fork can take back. Balances show money however it arrived, also by a contract's inner transfer.
 */
import { Effect } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { readTokens } from "../pay/TryPayment.ts"
import { readAccount } from "../quote/TryCall.ts"
import type { TronNode } from "../rpc/TronNode.ts"
import type { TronFault } from "../rpc/TronRpc.ts"

/** In both spellings. */
export interface Holder {
  readonly address: Address
  readonly evm: Address
}

/** Smallest units. `token` in EVM form; undefined for TRX. */
export const readFinalUnits = (
  node: TronNode,
  { address, evm }: Holder,
  token: Address | undefined,
  deadline: number
): Effect.Effect<bigint, TronFault> => {
  const solidified = { ...node, wallet: node.solidity }
  return token === undefined
    ? Effect.map(readAccount(solidified, address, deadline), ({ balance }) => balance)
    : readTokens(solidified, token, evm, deadline)
}
