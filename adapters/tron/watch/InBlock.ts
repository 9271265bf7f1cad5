/**
 * A transaction in a block of one Tron node's chain: its bytes, its receipt and its place, which must agree (TRON-1,
 * TRON-6).
 */
import { Effect } from "effect"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import type { EvmLog } from "../../../src/domain/families/ethereum/evidence/EvmTransaction.ts"
import type { TronTransaction } from "../../../src/domain/families/tron/evidence/TronTransaction.ts"
import { isReceiptOf } from "../../quorum/rpc/EvmReceipt.ts"
import { blockAt } from "../observe/ReadPlace.ts"
import { decodedAs, hasSucceeded, receiptOf, sentTransaction } from "../observe/ReadTransaction.ts"
import type { TronFault } from "../rpc/TronRpc.ts"
import type { TronNode } from "../rpc/TronNode.ts"

export interface InBlock {
  readonly block: BlockRef
  readonly transaction: TronTransaction
  readonly succeeded: boolean
  /** None when it failed. Accounts in EVM form. */
  readonly logs: ReadonlyArray<EvmLog>
}

/** Undefined when no block of the node's chain holds the transaction. */
export const readInBlock = Effect.fnUntraced(
  function*(node: TronNode, id: TransactionId, deadline: number): Effect.fn.Return<InBlock | undefined, TronFault> {
    const [sent, receipt] = yield* Effect.all([sentTransaction(node, id, deadline), receiptOf(node, id, deadline)], {
      concurrency: 2
    })
    if (receipt === undefined) return undefined
    // The two interfaces of the node are apart: it does not know yet.
    if (sent === undefined) return yield* Effect.fail("behind" as const)
    if (!isReceiptOf(`0x${id}`, receipt)) return yield* Effect.fail("contradiction" as const)
    const transaction = yield* decodedAs(id, sent)
    const succeeded = hasSucceeded(sent, receipt)
    if (succeeded === undefined) return yield* Effect.fail("contradiction" as const)
    const block = yield* blockAt(node, receipt.blockNumber, deadline)
    return `0x${block.hash}` === receipt.blockHash
      ? { block, transaction, succeeded, logs: succeeded ? receipt.logs : [] }
      : undefined
  }
)
