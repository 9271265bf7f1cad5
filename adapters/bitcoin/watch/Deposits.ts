/**
 * The deposits of a Bitcoin chain's transactions, for the transfer service. Decoded like the oracle's evidence, but
 * from one node, and counted from the first block on.
 */
import { Effect, Result } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { depositsOf } from "../../../src/domain/families/bitcoin/evidence/Deposits.ts"
import { firstAddress, pays } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import type { SpendingTransaction } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import { onchainId } from "../../../src/domain/hub/ProtocolId.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { readSpent } from "../observe/ReadSpent.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"
import { readInBlock } from "./InBlock.ts"

/** At most one deposit (BITCOIN-2), as the store keeps it. */
export const depositsIn = (chain: Chain, transaction: SpendingTransaction, block: BlockRef): ReadonlyArray<Deposit> => {
  const transactionId = Result.getOrThrow(parseTransactionId(chain.family, transaction.id))
  return depositsOf(transaction, { address: chain.depository, network: chain.network }).map((
    { amount, currency, depositId, depositor, index }
  ) => ({
    onchainId: onchainId(chain.slug, transactionId, index),
    chainId: chain.id,
    transactionId,
    index,
    block,
    depositId,
    depositor,
    // Who signed, whomever the note names.
    sender: firstAddress(transaction, chain.network) ?? depositor,
    currency,
    amount
  }))
}

/** Undefined when no block of the node's chain holds the transaction: it waits, was replaced, or is unknown. */
export const readDeposits = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    chain: Chain,
    id: string,
    deadline: number
  ): Effect.fn.Return<ReadonlyArray<Deposit> | undefined, ReadFault> {
    const placed = yield* readInBlock(rpc, id, deadline)
    if (placed === undefined) return undefined
    const { block, raw, transaction } = placed
    const depository = { address: chain.depository, network: chain.network }
    if (!transaction.outputs.some(({ script }) => pays(script, depository))) return []
    const spent = yield* readSpent(rpc, transaction, raw, deadline)
    return depositsIn(chain, { ...transaction, spent }, block)
  }
)
