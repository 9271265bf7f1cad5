/**
 * The blocks and transactions of one fork, by slot.
 *
 * A slot is open until the next begins. Then its block has a hash, which transactions may name for 150 blocks. A slot
 * without a block was skipped. Empty blocks beyond the newest thousand are dropped, except the first. Blocks with
 * transactions stay, so that every transaction stays known.
 */
import { createHash } from "node:crypto"
import { base58 } from "@scure/base"
import type { Block, OpenBlock, TransactionRecord } from "./Record.ts"

/** The number of blocks in which a blockhash may be named. */
export const WINDOW = 150

const KEPT_EMPTY = 1000

const hashOf = (parentHash: string, { signatures, slot, time }: OpenBlock): string =>
  base58.encode(createHash("sha256").update([parentHash, slot, time, ...signatures].join(":")).digest())

export const openAfter = (parent: Block, slot: number, time: number): OpenBlock => ({
  slot,
  parentSlot: parent.slot,
  height: parent.height + 1,
  time: Math.max(time, parent.time),
  signatures: []
})

export interface Contents {
  readonly open: OpenBlock
  readonly blocks: ReadonlyArray<Block>
  readonly transactions: ReadonlyArray<TransactionRecord>
}

export class Ledger {
  #open: OpenBlock
  /** By slot, ascending. Never empty. */
  #blocks: Array<Block>
  readonly #transactions = new Map<string, TransactionRecord>()

  constructor({ blocks, open, transactions }: Contents) {
    this.#open = open
    this.#blocks = [...blocks]
    for (const transaction of transactions) this.#transactions.set(transaction.signature, transaction)
  }

  /** A ledger with a block at slot 0 only, whose hash is the chain's genesis hash, and slot 1 open. */
  static genesis(hash: string, time: number): Ledger {
    const block: Block = { slot: 0, parentSlot: 0, height: 0, time, signatures: [], hash, parentHash: hash }
    return new Ledger({ open: openAfter(block, 1, time), blocks: [block], transactions: [] })
  }

  get open(): OpenBlock {
    return this.#open
  }

  /** The newest block with a hash. */
  get last(): Block {
    const block = this.#blocks.at(-1)
    if (block === undefined) throw new Error("a ledger without a block")
    return block
  }

  get first(): number {
    return this.#blocks[0]?.slot ?? 0
  }

  get contents(): Contents {
    return { open: this.#open, blocks: this.#blocks, transactions: [...this.#transactions.values()] }
  }

  /** Ends the open slot with a block and opens another, `skipped` slots later. */
  advance(time: number, skipped = 0): void {
    const block: Block = { ...this.#open, hash: hashOf(this.last.hash, this.#open), parentHash: this.last.hash }
    this.#blocks.push(block)
    this.#open = openAfter(block, block.slot + 1 + skipped, time)
    this.#forget()
  }

  add(transaction: TransactionRecord): void {
    this.#transactions.set(transaction.signature, transaction)
    this.#open = { ...this.#open, signatures: [...this.#open.signatures, transaction.signature] }
  }

  block(slot: number): Block | undefined {
    return this.#blocks.find((block) => block.slot === slot)
  }

  /** The newest block at or below that slot. When the slot is below all blocks, the oldest one. */
  blockAtOrBelow(slot: number): Block {
    return this.#blocks.findLast((block) => block.slot <= slot) ?? this.#blocks[0] ?? this.last
  }

  blocksBetween(first: number, last: number): ReadonlyArray<Block> {
    return this.#blocks.filter(({ slot }) => slot >= first && slot <= last)
  }

  /** The newest `count` blocks, newest first. */
  newestBlocks(count: number): ReadonlyArray<Block> {
    return this.#blocks.slice(-count).toReversed()
  }

  transaction(signature: string): TransactionRecord | undefined {
    return this.#transactions.get(signature)
  }

  /** Newest first. */
  transactionsOf(address: string): ReadonlyArray<TransactionRecord> {
    return [...this.#transactions.values()].filter(({ keys }) => keys.includes(address)).toReversed()
  }

  /** The block with that hash, if a transaction may name it now. */
  validBlock(hash: string): Block | undefined {
    const block = this.#blocks.findLast((candidate) => candidate.hash === hash)
    return block !== undefined && this.#open.height <= block.height + WINDOW ? block : undefined
  }

  /** Drops every block after that slot, and the open one's transactions. The dropped slots count as skipped. */
  rollback(slot: number): void {
    const kept = this.#blocks.filter((block) => block.slot <= slot)
    if (kept.length === 0) throw new Error(`no block at or below slot ${slot}`)
    this.#blocks = kept
    for (const [signature, transaction] of this.#transactions) {
      if (transaction.slot > slot) this.#transactions.delete(signature)
    }
    this.#open = openAfter(this.last, this.#open.slot, this.#open.time)
  }

  #forget(): void {
    if (this.#blocks.length < KEPT_EMPTY * 2) return
    const from = this.#blocks.length - KEPT_EMPTY
    const kept = this.#blocks.filter(({ signatures }, index) => index === 0 || index >= from || signatures.length > 0)
    if (kept.length < this.#blocks.length) this.#blocks = kept
  }
}
