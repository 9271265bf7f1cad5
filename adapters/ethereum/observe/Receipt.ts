/**
 * Receipts by hash, where "the node has none" is an answer and every other failure stays a failure.
 *
 * "None" alone is evidence of nothing: nodes behind one address differ, and indexes lag. That something is gone is
 * believed only when the block that held it is no longer the chain's, or never held it.
 */
import { BlockNotFoundError, TransactionNotFoundError, TransactionReceiptNotFoundError } from "viem"
import type { Hex, PublicClient, Transaction, TransactionReceipt } from "viem"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import { NodeIsBehind } from "../rpc/EthereumRpc.ts"

/** Undefined when the node has none. */
export const receiptOf = async (client: PublicClient, hash: Hex): Promise<TransactionReceipt | undefined> => {
  try {
    return await client.getTransactionReceipt({ hash })
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined
    throw error
  }
}

/** Undefined when the node has none. */
export const transactionOf = async (client: PublicClient, hash: Hex): Promise<Transaction | undefined> => {
  try {
    return await client.getTransaction({ hash })
  } catch (error) {
    if (error instanceof TransactionNotFoundError) return undefined
    throw error
  }
}

export interface StandingReceipt {
  readonly receipt: TransactionReceipt
  /** Seconds: the time of its block. */
  readonly time: number
}

/** A transaction in a block. */
export interface Place {
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly transactionHash: Hex
}

/**
 * The place of a transaction, when its block is the canonical block at its height. Without the receipt, which may be
 * large.
 */
export const standingPlace = async (client: PublicClient, hash: Hex): Promise<Place | undefined> => {
  const found = await transactionOf(client, hash)
  if (found?.blockNumber == null || found.blockHash === null) return undefined
  const { blockHash, blockNumber } = found
  return (await hashAt(client, blockNumber)) === blockHash
    ? { blockNumber, blockHash, transactionHash: hash }
    : undefined
}

/** The canonical block at a height, with the hashes of its transactions; undefined when the node knows none. */
const canonicalBlock = async (client: PublicClient, blockNumber: bigint) => {
  try {
    return await client.getBlock({ blockNumber })
  } catch (error) {
    if (error instanceof BlockNotFoundError) return undefined
    throw error
  }
}

/** What the chain had at a height a moment ago. */
interface CanonicalBlock {
  readonly hash: Hex
  /** Seconds. */
  readonly time: number
}

const blockAt = async (client: PublicClient, height: bigint): Promise<CanonicalBlock | undefined> => {
  const found = await canonicalBlock(client, height)
  return found === undefined ? undefined : { hash: found.hash, time: Number(found.timestamp) }
}

/**
 * The receipt, when its block is the canonical block at its height. `near`: a block that is read at the same time, and
 * probably holds the transaction, which saves a request: its height, or the reading of it. Where the receipt names
 * another block, that one is read afterwards. A block that the node does not have yet holds nothing: some nodes show
 * receipts of the block that is being built (EVM-8).
 */
export const standingReceipt = async (
  client: PublicClient,
  hash: Hex,
  near?: bigint | Promise<CanonicalBlock>
): Promise<StandingReceipt | undefined> => {
  const [receipt, seen] = await Promise.all([
    receiptOf(client, hash),
    typeof near === "bigint" ? blockAt(client, near) : near
  ])
  if (receipt === undefined) return undefined
  if (seen?.hash === receipt.blockHash) return { receipt, time: seen.time }
  const block = await blockAt(client, receipt.blockNumber)
  return block?.hash === receipt.blockHash ? { receipt, time: block.time } : undefined
}

/** The hash of the canonical block at a height; undefined when the node knows none. */
export const hashAt = async (client: PublicClient, blockNumber: bigint): Promise<Hex | undefined> =>
  (await canonicalBlock(client, blockNumber))?.hash

/**
 * Throws unless the chain now has another block at that height, or the same block without the transaction: only then
 * does the block not hold it. A node that has the block and merely lacks the transaction's receipt is behind.
 */
export const assertNotIn = async (
  client: PublicClient,
  block: Pick<BlockRef, "hash" | "height">,
  transaction: Hex
): Promise<void> => {
  const now = await canonicalBlock(client, block.height)
  const holds = now?.hash === block.hash && now.transactions.some((hash) => hash === transaction)
  if (now === undefined || holds) throw new NodeIsBehind()
}

export const isKnown = async (client: PublicClient, hash: Hex): Promise<boolean> =>
  (await transactionOf(client, hash)) !== undefined
