/** Methods that read slots, blocks and blockhashes. */
import { Schema } from "effect"
import type { Chain } from "../Chain.ts"
import { SLOTS_PER_EPOCH } from "../Chain.ts"
import { WINDOW } from "../Ledger.ts"
import type { Block } from "../Record.ts"
import type { Methods } from "./Methods.ts"
import {
  Context,
  contextFields,
  contextOf,
  Commitments,
  decode,
  inContext,
  optional,
  VersionNumber
} from "./Parameters.ts"
import { assertKnown, blockNotAvailable, cleanedUp, invalidParams, slotSkipped } from "./RpcError.ts"

const Empty = Schema.Tuple([optional(Context)])

const BlockReading = Schema.Tuple([
  Schema.Int,
  optional(Schema.Struct({
    commitment: Schema.optionalKey(Commitments),
    encoding: Schema.optionalKey(Schema.Literal("base64")),
    transactionDetails: Schema.optionalKey(Schema.Literals(["full", "signatures", "none"])),
    maxSupportedTransactionVersion: Schema.optionalKey(VersionNumber),
    rewards: Schema.optionalKey(Schema.Boolean)
  }))
])

/** The block of a slot, or the node's reason why there is none. */
const blockOf = (chain: Chain, slot: number, newest: number): Block => {
  const { first } = chain.ledger
  if (slot > newest || slot >= chain.ledger.open.slot) throw blockNotAvailable(slot)
  if (slot < first) throw cleanedUp(slot, first)
  const block = chain.ledger.block(slot)
  if (block === undefined) throw slotSkipped(slot)
  return block
}

const getBlock = (chain: Chain, params: unknown) => {
  const [slot, reading] = decode(BlockReading, params)
  if (reading?.commitment === "processed") throw invalidParams("Method does not support commitment below `confirmed`")
  const block = blockOf(chain, slot, chain.slotAt(reading?.commitment ?? "finalized"))
  const details = reading?.transactionDetails ?? "full"
  const transactions = () =>
    block.signatures.flatMap((signature) => {
      const record = chain.ledger.transaction(signature)
      if (record === undefined) return []
      const versioned = reading?.maxSupportedTransactionVersion !== undefined
      assertKnown(record.version, reading?.maxSupportedTransactionVersion)
      if (reading?.encoding !== "base64") throw invalidParams("this chain gives transactions as base64 only")
      return [{
        transaction: [record.wire, "base64"],
        meta: record.meta,
        ...(versioned ? { version: record.version } : {})
      }]
    })
  return {
    blockHeight: block.height,
    blockTime: block.time,
    blockhash: block.hash,
    parentSlot: block.parentSlot,
    previousBlockhash: block.parentHash,
    ...(details === "signatures" ? { signatures: block.signatures } : {}),
    ...(details === "full" ? { transactions: transactions() } : {}),
    ...(reading?.rewards === false ? {} : { rewards: [] })
  }
}

export const blockMethods = (chain: Chain): Methods => ({
  getHealth: () => "ok",
  getVersion: () => ({ "solana-core": "3.0.0", "feature-set": 0 }),
  getGenesisHash: () => chain.genesisHash,
  getSlot: (params) => contextOf(chain, decode(Empty, params)[0]).slot,
  getBlockHeight: (params) => chain.heightAt(contextOf(chain, decode(Empty, params)[0]).commitment),
  // The first question of kit's confirmation by block height.
  getEpochInfo: (params) => {
    const { commitment, slot } = contextOf(chain, decode(Empty, params)[0])
    return {
      absoluteSlot: slot,
      blockHeight: chain.heightAt(commitment),
      epoch: Math.floor(slot / SLOTS_PER_EPOCH),
      slotIndex: slot % SLOTS_PER_EPOCH,
      slotsInEpoch: SLOTS_PER_EPOCH,
      transactionCount: chain.ledger.contents.transactions.length
    }
  },
  getFirstAvailableBlock: () => chain.ledger.first,
  getBlockTime: (params) => blockOf(chain, decode(Schema.Tuple([Schema.Int]), params)[0], chain.ledger.last.slot).time,
  getBlock: (params) => getBlock(chain, params),
  getBlocks: (params) => {
    const [first, last, context] = decode(Schema.Tuple([Schema.Int, optional(Schema.Int), optional(Context)]), params)
    const newest = contextOf(chain, context).slot
    return chain.ledger.blocksBetween(first, Math.min(last ?? newest, newest)).map(({ slot }) => slot)
  },
  getBlocksWithLimit: (params) => {
    const [first, limit, context] = decode(Schema.Tuple([Schema.Int, Schema.Int, optional(Context)]), params)
    return chain.ledger.blocksBetween(first, contextOf(chain, context).slot).slice(0, limit).map(({ slot }) => slot)
  },
  getLatestBlockhash: (params) => {
    const { commitment, slot } = contextOf(chain, decode(Empty, params)[0])
    const block = chain.blockAt(commitment)
    return inContext(slot, { blockhash: block.hash, lastValidBlockHeight: block.height + WINDOW })
  },
  isBlockhashValid: (params) => {
    const [hash, context] = decode(Schema.Tuple([Schema.String, optional(Schema.Struct(contextFields))]), params)
    const { slot } = contextOf(chain, context)
    const block = chain.ledger.validBlock(hash)
    return inContext(slot, block !== undefined && block.slot <= slot)
  }
})
