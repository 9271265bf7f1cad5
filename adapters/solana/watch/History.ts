/**
 * What a node's "there is no such block" is worth. Nodes prune their ledgers and jump over slots, and then answer as
 * they do for what never was: a slot was skipped only when the block after it has its parent before it.
 *
 * SECURITY: a deposit counts as gone, and a final block as replaced, by what is read here.
 */
import {
  isSolanaError,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_LONG_TERM_STORAGE_SLOT_SKIPPED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SLOT_SKIPPED
} from "@solana/kit"
import type { Signature } from "@solana/kit"
import type { BlockRef } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { blockAt } from "../pay/Landing.ts"
import { NodeIsBehind } from "../rpc/SolanaRpc.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"

/** "was skipped, or missing": the node itself does not know which. */
const isMissing = (error: unknown): boolean =>
  isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SLOT_SKIPPED) ||
  isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_LONG_TERM_STORAGE_SLOT_SKIPPED)

/** Of a slot that has no block, for good. */
const SKIPPED = "skipped"

/** The slot of the last block below one that was skipped; undefined unless the chain of blocks says that it was. */
const lastBelow = async (client: SolanaClient, slot: bigint): Promise<bigint | undefined> => {
  const [next] = await client.getBlocksWithLimit(slot + 1n, 1, { commitment: "confirmed" }).send()
  if (next === undefined) return undefined
  const block = await client.getBlock(next, {
    commitment: "confirmed",
    transactionDetails: "none",
    rewards: false,
    maxSupportedTransactionVersion: 0
  }).send()
  return block !== null && block.parentSlot < slot ? block.parentSlot : undefined
}

/** The hash of a slot's block, or that it has none; undefined when the node does not say. */
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
    maxSupportedTransactionVersion: 0
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
