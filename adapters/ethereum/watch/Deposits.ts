/**
 * The deposits of one transaction of an EVM chain, for the transfer service. Decoded like the oracle's evidence, from
 * the receipt in the canonical block, on one endpoint.
 */
import type { Hex, PublicClient, Transaction } from "viem"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { depositsOf, payersOf } from "../../../src/domain/families/ethereum/evidence/Deposits.ts"
import { onchainId } from "../../../src/domain/hub/ProtocolId.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { Result } from "effect"
import { evmTransaction } from "../decode/EvmTransaction.ts"
import { NodeIsBehind } from "../rpc/EthereumRpc.ts"
import { standingReceipt, transactionOf } from "../observe/Receipt.ts"
import type { StandingReceipt } from "../observe/Receipt.ts"

const decode = (
  chain: Chain,
  hash: Hex,
  { receipt, time }: StandingReceipt,
  sent: Transaction
): ReadonlyArray<Deposit> => {
  const transaction = evmTransaction(sent, receipt)
  const transactionId = Result.getOrThrow(parseTransactionId(chain.family, hash))
  // From any contract: a quote says which contract it expects, even when the chain's configuration now names another
  // one.
  const payers = payersOf(transaction)
  const through = (index: number) => {
    const payer = payers.get(index)
    return payer === undefined || payer === transaction.from ? {} : { forwarder: payer }
  }
  return depositsOf(transaction, chain.depository).map(({ amount, currency, depositId, depositor, index }) => ({
    onchainId: onchainId(chain.slug, transactionId, index),
    chainId: chain.id,
    transactionId,
    index,
    block: { height: receipt.blockNumber, hash: receipt.blockHash, time },
    depositId,
    depositor,
    sender: transaction.from,
    ...through(index),
    currency,
    amount
  }))
}

/**
 * Undefined when the canonical chain does not hold the transaction. Empty when it failed. `near`: the height at which it
 * was last seen. Then one request reads all.
 */
export const depositsIn = async (
  client: PublicClient,
  chain: Chain,
  hash: Hex,
  near?: bigint
): Promise<ReadonlyArray<Deposit> | undefined> => {
  const [standing, transaction] = await Promise.all([standingReceipt(client, hash, near), transactionOf(client, hash)])
  if (standing === undefined) return undefined
  if (standing.receipt.status !== "success") return []
  if (transaction === undefined) throw new NodeIsBehind()
  return decode(chain, hash, standing, transaction)
}
