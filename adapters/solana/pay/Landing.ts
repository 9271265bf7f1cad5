/**
 * How a signature stands on a chain, and the proof that it never will.
 *
 * SECURITY: a payment is signed anew after that proof, so "the node does not know it" is none: nodes forget, lag behind
 * each other behind one address, and keep a part of history only.
 */
import type { Signature } from "@solana/kit"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { BlockRef } from "../../../src/domain/transfer/deposit/Deposit.ts"
import type { Lifetime } from "./SignedBytes.ts"
import { NodeIsBehind } from "../rpc/SolanaRpc.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"

export interface Landing {
  readonly block: BlockRef
  readonly succeeded: boolean
  /** Lamports. */
  readonly fee: bigint
  /** Lamports that it put into token accounts which were not there before. */
  readonly rent: bigint
  readonly final: boolean
}

/** The block of a slot; a node that does not have it now has nothing to say yet. */
export const blockAt = async (
  client: SolanaClient,
  slot: bigint,
  commitment: "confirmed" | "finalized" = "confirmed"
): Promise<BlockRef> => {
  const block = await client.getBlock(slot, {
    commitment,
    transactionDetails: "none",
    rewards: false,
    maxSupportedTransactionVersion: 0
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

/** An account that somebody else opened meanwhile had its rent before, and one that failed to be opened has none. */
const rentIn = ({ postBalances, postTokenBalances = [], preBalances, preTokenBalances = [] }: Balances): bigint => {
  const known = new Set(preTokenBalances.map(({ accountIndex }) => accountIndex))
  const opened = postTokenBalances.filter(({ accountIndex }) => !known.has(accountIndex))
  return opened.reduce(
    (sum, { accountIndex }) => sum + (postBalances[accountIndex] ?? 0n) - (preBalances[accountIndex] ?? 0n),
    0n
  )
}

/** "processed": a block has it that may still be dropped. Undefined: the node does not know it. */
export const landingOf = async (
  client: SolanaClient,
  signature: Signature
): Promise<Landing | "processed" | undefined> => {
  const { value: [status] } = await client.getSignatureStatuses([signature], { searchTransactionHistory: true }).send()
  if (status === null || status === undefined) return undefined
  if (status.confirmationStatus === "processed") return "processed"
  const [transaction, block] = await Promise.all([
    client.getTransaction(signature, { commitment: "confirmed", encoding: "base64", maxSupportedTransactionVersion: 0 })
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
 * True when none of the signatures can ever be carried out: a final block is past the last that could hold any, and a
 * node of this chain that is at least as far, and whose history begins before any could have been held, knows none of
 * them.
 */
export const isExpired = async (
  client: SolanaClient,
  { genesisHash }: Pick<Chain, "genesisHash">,
  signed: ReadonlyArray<Lifetime & { readonly signature: Signature }>
): Promise<boolean> => {
  const height = await client.getBlockHeight({ commitment: "finalized" }).send()
  if (signed.some(({ lastValidBlockHeight }) => height <= lastValidBlockHeight)) return false
  // Read after the height, so that it is no lower than the slot of that block.
  const finalSlot = await client.getSlot({ commitment: "finalized" }).send()
  const { context, value } = await client.getSignatureStatuses(signed.map(({ signature }) => signature), {
    searchTransactionHistory: true
  }).send()
  if (context.slot < finalSlot || value.length !== signed.length) throw new NodeIsBehind()
  // Read last: what was pruned a moment ago was not known then. And another chain knows none of them, either.
  const [first, genesis] = await Promise.all([client.getFirstAvailableBlock().send(), client.getGenesisHash().send()])
  if (signed.some(({ slot }) => first > slot) || genesis !== genesisHash) throw new NodeIsBehind()
  return value.every((status) => status === null)
}
