/**
 * The deposits of one transaction of a Tron chain, for the transfer service. Decoded like the oracle's evidence, but from
 * one node, and counted from the first block on (TRON-6).
 */
import { Effect, Result } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { payersOf } from "../../../src/domain/families/ethereum/evidence/Deposits.ts"
import { evmCall, tronFacts } from "../../../src/domain/families/tron/evidence/Evidence.ts"
import { tronOfAccount } from "../../../src/domain/families/tron/TronAddresses.ts"
import { onchainId } from "../../../src/domain/hub/ProtocolId.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import type { TronFault } from "../rpc/TronRpc.ts"
import type { TronNode } from "../rpc/TronNode.ts"
import { readInBlock } from "./InBlock.ts"
import type { InBlock } from "./InBlock.ts"

/** Never throws: the account was decoded from 20 bytes. */
export const inBase58 = (account: string): Address => Result.getOrThrow(tronOfAccount(account))

const depositsIn = (chain: Chain, id: TransactionId, shown: InBlock): ReadonlyArray<Deposit> => {
  const { block, logs, transaction } = shown
  const { owner } = transaction
  const payers = payersOf(evmCall(transaction, logs))
  return tronFacts(transaction, logs, chain).deposits.map(({ amount, currency, depositId, depositor, index }) => {
    const payer = payers.get(index)
    return {
      onchainId: onchainId(chain.slug, id, index),
      chainId: chain.id,
      transactionId: id,
      index,
      block,
      depositId,
      depositor,
      // Nodes execute no transaction without an owner.
      sender: owner === undefined ? depositor : inBase58(owner),
      ...(payer === undefined || payer === owner ? {} : { forwarder: inBase58(payer) }),
      currency,
      amount
    }
  })
}

/** Undefined when no block of the node's chain holds the transaction. Empty when it failed. */
export const readDeposits = (
  node: TronNode,
  chain: Chain,
  id: TransactionId,
  deadline: number
): Effect.Effect<ReadonlyArray<Deposit> | undefined, TronFault> =>
  Effect.map(
    readInBlock(node, id, deadline),
    (shown) => shown === undefined ? undefined : shown.succeeded ? depositsIn(chain, id, shown) : []
  )
