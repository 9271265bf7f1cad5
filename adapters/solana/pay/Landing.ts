/**
 * The state of a signature on a chain, and the proof that it can never be executed.
 *
 * SECURITY: a payment is signed a second time after that proof, so "the node does not know it" is not enough: nodes
 * lose transactions, lag behind each other behind one address, and keep only a part of history.
 */
import type { Blockhash, Signature } from "@solana/kit"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import type { Lifetime } from "./SignedBytes.ts"
import { NodeIsBehind } from "../rpc/SolanaRpc.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"
import { NEWEST_VERSION } from "../rpc/TransactionVersion.ts"

export interface Landing {
  readonly block: BlockRef
  readonly succeeded: boolean
  /** Lamports. */
  readonly fee: bigint
  /** Lamports that it put into token accounts that did not exist before. */
  readonly rent: bigint
  readonly final: boolean
}

/** The block of a slot. A node that lacks it now has no answer yet. */
export const blockAt = async (
  client: SolanaClient,
  slot: bigint,
  commitment: "confirmed" | "finalized" = "confirmed"
): Promise<BlockRef> => {
  const block = await client.getBlock(slot, {
    commitment,
    transactionDetails: "none",
    rewards: false,
    maxSupportedTransactionVersion: NEWEST_VERSION
  }).send()
  if (block === null) throw new NodeIsBehind()
  return { height: slot, hash: block.blockhash, time: Number(block.blockTime) }
}

interface Balances {
  readonly preBalances: ReadonlyArray<bigint>
  readonly postBalances: ReadonlyArray<bigint>
  readonly preTokenBalances?: ReadonlyArray<{ readonly accountIndex: number }>
  readonly postTokenBalances?: ReadonlyArray<{ readonly accountIndex: number }>
}

/**
 * An account that was opened by another transaction meanwhile had its rent before. An account that failed to open has
 * no rent.
 */
const rentIn = ({ postBalances, postTokenBalances = [], preBalances, preTokenBalances = [] }: Balances): bigint => {
  const known = new Set(preTokenBalances.map(({ accountIndex }) => accountIndex))
  const opened = postTokenBalances.filter(({ accountIndex }) => !known.has(accountIndex))
  return opened.reduce(
    (sum, { accountIndex }) => sum + (postBalances[accountIndex] ?? 0n) - (preBalances[accountIndex] ?? 0n),
    0n
  )
}

/** "processed": it is in a block that may still be dropped. Undefined: the node does not know it. */
export const landingOf = async (
  client: SolanaClient,
  signature: Signature
): Promise<Landing | "processed" | undefined> => {
  const { value: [status] } = await client.getSignatureStatuses([signature], { searchTransactionHistory: true }).send()
  if (status === null || status === undefined) return undefined
  if (status.confirmationStatus === "processed") return "processed"
  const [transaction, block] = await Promise.all([
    client.getTransaction(signature, {
      commitment: "confirmed",
      encoding: "base64",
      maxSupportedTransactionVersion: NEWEST_VERSION
    })
      .send(),
    blockAt(client, status.slot)
  ])
  if (transaction === null || transaction.slot !== status.slot || transaction.meta === null) throw new NodeIsBehind()
  const { err, fee } = transaction.meta
  return {
    block,
    succeeded: err === null,
    fee,
    rent: rentIn(transaction.meta),
    final: status.confirmationStatus === "finalized"
  }
}

/**
 * True when none of the signatures can ever be executed. That needs a final block past the last that could hold any of
 * them, and a node of this chain that knows none of them. That node must be at least as far, with a history that begins
 * before any of them could be executed.
 */
export const isExpired = async (
  client: SolanaClient,
  { genesisHash }: Pick<Chain, "genesisHash">,
  signed: ReadonlyArray<Lifetime & { readonly blockhash: Blockhash; readonly signature: Signature }>
): Promise<boolean> => {
  const height = await client.getBlockHeight({ commitment: "finalized" }).send()
  if (signed.some(({ lastValidBlockHeight }) => height <= lastValidBlockHeight)) return false
  // The height is another endpoint's word, given when the payment was signed. This node knows the blockhash itself.
  const valid = await Promise.all(
    signed.map(({ blockhash }) => client.isBlockhashValid(blockhash, { commitment: "confirmed" }).send())
  )
  if (valid.some(({ value }) => value)) return false
  // Read after the height, so that it is not below the slot of that block.
  const finalSlot = await client.getSlot({ commitment: "finalized" }).send()
  const { context, value } = await client.getSignatureStatuses(signed.map(({ signature }) => signature), {
    searchTransactionHistory: true
  }).send()
  if (context.slot < finalSlot || value.length !== signed.length) throw new NodeIsBehind()
  // Read last: whatever was pruned before this counts as unknown. A node of another chain would know none of them
  // either.
  const [first, genesis] = await Promise.all([client.getFirstAvailableBlock().send(), client.getGenesisHash().send()])
  if (signed.some(({ slot }) => first > slot) || genesis !== genesisHash) throw new NodeIsBehind()
  return value.every((status) => status === null)
}
