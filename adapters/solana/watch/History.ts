/**
 * Interprets a node's "there is no such block". Nodes prune their ledgers and jump over slots, and then answer in the
 * same way as for slots that had no block. A slot counts as skipped only when the next block's parent is before it.
 *
 * SECURITY: this reading decides whether a deposit is gone and whether a final block was replaced.
 */
import {
  isSolanaError,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_LONG_TERM_STORAGE_SLOT_SKIPPED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SLOT_SKIPPED
} from "@solana/kit"
import type { Signature } from "@solana/kit"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import { blockAt } from "../pay/Landing.ts"
import { NodeIsBehind } from "../rpc/SolanaRpc.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"
import { NEWEST_VERSION } from "../rpc/TransactionVersion.ts"

/** "was skipped, or missing": the node itself does not know which. */
const isMissing = (error: unknown): boolean =>
  isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SLOT_SKIPPED) ||
  isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_LONG_TERM_STORAGE_SLOT_SKIPPED)

/** A slot that will never have a block. */
const SKIPPED = "skipped"

/**
 * The slot of the last block before a skipped slot. Undefined unless the chain of blocks proves that it was skipped.
 */
const lastBelow = async (client: SolanaClient, slot: bigint): Promise<bigint | undefined> => {
  const [next] = await client.getBlocksWithLimit(slot + 1n, 1, { commitment: "confirmed" }).send()
  if (next === undefined) return undefined
  const block = await client.getBlock(next, {
    commitment: "confirmed",
    transactionDetails: "none",
    rewards: false,
    maxSupportedTransactionVersion: NEWEST_VERSION
  }).send()
  return block !== null && block.parentSlot < slot ? block.parentSlot : undefined
}

/** The hash of a slot's block, or that it has none. Undefined when the node does not say. */
export const hashAt = async (client: SolanaClient, slot: bigint): Promise<string | undefined> => {
  try {
    return (await blockAt(client, slot)).hash
  } catch (error) {
    if (!isSolanaError(error) && !(error instanceof NodeIsBehind)) throw error
    return isMissing(error) && (await lastBelow(client, slot)) !== undefined ? SKIPPED : undefined
  }
}

/**
 * Throws unless the chain now has another block in that slot, or none, or the same block without the transaction: only
 * then does the block not hold it. Nodes differ, and indexes lag.
 */
export const assertNotIn = async (
  client: SolanaClient,
  { hash, height }: Pick<BlockRef, "hash" | "height">,
  signature: Signature
): Promise<void> => {
  const now = await hashAt(client, height)
  if (now === undefined) throw new NodeIsBehind()
  if (now !== hash) return
  const block = await client.getBlock(height, {
    commitment: "confirmed",
    transactionDetails: "signatures",
    rewards: false,
    maxSupportedTransactionVersion: NEWEST_VERSION
  }).send()
  if (block === null || block.blockhash !== hash || block.signatures.includes(signature)) throw new NodeIsBehind()
}

/** The time of the last block at or below a slot, seconds. */
export const timeAt = async (client: SolanaClient, slot: bigint): Promise<number> => {
  if (slot <= 0n) return 0
  try {
    return (await blockAt(client, slot)).time
  } catch (error) {
    if (!isMissing(error)) throw error
    const below = await lastBelow(client, slot)
    if (below === undefined) throw new NodeIsBehind()
    return (await blockAt(client, below)).time
  }
}
