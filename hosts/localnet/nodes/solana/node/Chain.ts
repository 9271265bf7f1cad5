/**
 * One Solana chain: bank, ledger, clock and commitments, without HTTP.
 *
 * litesvm executes. There are no leaders, votes or forks: a slot is confirmed and finalized by the number of slots
 * after it. Everything is synchronous, so that no request ever sees half a slot. The caller provides the time.
 */
import type { Address } from "@solana/kit"
import { address } from "@solana/kit"
import { base58 } from "@scure/base"
import { Clock } from "litesvm"
import { createHash } from "node:crypto"
import type { Account } from "./Account.ts"
import { Bank } from "./Bank.ts"
import type { Executed } from "./Execution.ts"
import { execute } from "./Execution.ts"
import type { Contents } from "./Ledger.ts"
import { Ledger, WINDOW } from "./Ledger.ts"
import { memoOf } from "./Memo.ts"
import type { Block, TransactionRecord } from "./Record.ts"
import type { Submitted } from "./Submitted.ts"
import type { TransactionError } from "./TransactionError.ts"

export type Commitment = "processed" | "confirmed" | "finalized"

export interface ChainOptions {
  /** Distinguishes this chain from others: its genesis hash is derived from it. */
  readonly name: string
  /** How many slots later a slot is confirmed and finalized. */
  readonly confirmedAfter: number
  readonly finalizedAfter: number
  /** Each transaction ends its slot at once. */
  readonly automine: boolean
  /** Seconds since 1970. */
  readonly now: () => number
}

/** What a state file restores. */
export interface Kept {
  readonly genesisHash: string
  readonly contents: Contents
  readonly accounts: ReadonlyArray<readonly [Address, Account | undefined]>
  readonly clockOffset: number
}

export const SLOTS_PER_EPOCH = 432_000

export type Outcome =
  | { readonly _tag: "Executed"; readonly record: TransactionRecord }
  /** It is in no block and costs nothing. */
  | { readonly _tag: "Dropped"; readonly error: TransactionError; readonly executed?: Executed | undefined }

export class Chain {
  readonly options: ChainOptions
  readonly bank = new Bank()
  readonly genesisHash: string
  #ledger: Ledger
  #clockOffset: number
  readonly #listeners = new Set<() => void>()

  constructor(options: ChainOptions, kept?: Kept) {
    this.options = options
    this.genesisHash = genesisHashOf(options.name)
    this.#clockOffset = kept?.clockOffset ?? 0
    this.#ledger = kept === undefined ? Ledger.genesis(this.genesisHash, options.now()) : new Ledger(kept.contents)
    if (kept !== undefined) this.bank.restore(kept.contents.open.slot, kept.accounts)
    this.#tellTheMachine()
    // Everything restored is final: earlier states are unknown, and a client that saw it must not see it vanish.
    if (kept !== undefined) this.advance(options.finalizedAfter)
  }

  get ledger(): Ledger {
    return this.#ledger
  }

  get clockOffset(): number {
    return this.#clockOffset
  }

  /** Calls `listener` after every change of slot and every transaction. Returns a function that ends this. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** The slot that a reader of that commitment sees. */
  slotAt(commitment: Commitment): number {
    const { slot } = this.#ledger.open
    if (commitment === "processed") return slot
    const lag = commitment === "confirmed" ? this.options.confirmedAfter : this.options.finalizedAfter
    return this.#ledger.blockAtOrBelow(slot - lag).slot
  }

  commitmentOf(slot: number): Commitment {
    if (slot <= this.slotAt("finalized")) return "finalized"
    return slot <= this.slotAt("confirmed") ? "confirmed" : "processed"
  }

  /** The newest block with a hash that a reader of that commitment sees. */
  blockAt(commitment: Commitment): Block {
    return this.#ledger.blockAtOrBelow(this.slotAt(commitment))
  }

  heightAt(commitment: Commitment): number {
    return commitment === "processed" ? this.#ledger.open.height : this.blockAt(commitment).height
  }

  read(key: Address, commitment: Commitment): Account | undefined {
    return commitment === "processed" ? this.bank.read(key) : this.bank.readAt(key, this.slotAt(commitment))
  }

  /** Why a transaction cannot be executed now. Undefined when it can, according to the ledger. */
  refusal({ blockhash, signature }: Submitted): TransactionError | undefined {
    if (this.#ledger.transaction(signature) !== undefined) return "AlreadyProcessed"
    return this.#ledger.validBlock(blockhash) === undefined ? "BlockhashNotFound" : undefined
  }

  /** Executes a transaction in the open slot. With automine it ends that slot. */
  submit(submitted: Submitted): Outcome {
    const refused = this.refusal(submitted)
    if (refused !== undefined) return { _tag: "Dropped", error: refused }
    const { slot, time } = this.#ledger.open
    const executed = execute(this.bank, slot, submitted)
    if (!executed.charged) return { _tag: "Dropped", error: executed.error ?? "SanitizeFailure", executed }
    const record: TransactionRecord = {
      signature: submitted.signature,
      slot,
      blockTime: time,
      version: submitted.message.version,
      wire: Buffer.from(submitted.bytes).toString("base64"),
      keys: executed.keys,
      memo: memoOf(submitted),
      meta: executed.meta
    }
    this.#ledger.add(record)
    if (this.options.automine) this.advance()
    else this.#tell()
    return { _tag: "Executed", record }
  }

  /** Overwrites an account in the open slot, which no transaction could do. */
  setAccount(key: Address, account: Account | undefined): void {
    this.bank.write(this.#ledger.open.slot, key, account)
  }

  /** Ends the open slot with a block. The next `skipped` slots have none. */
  advance(skipped = 0): void {
    this.#ledger.advance(this.options.now() + this.#clockOffset, skipped)
    this.#tellTheMachine()
    this.#tell()
  }

  /**
   * Undoes the last `depth` slots, including the open one, like a fork that loses. Their transactions are gone for good
   * unless they are sent again, and the slots count as skipped.
   */
  rollback(depth: number): void {
    const target = Math.max(0, this.#ledger.open.slot - depth)
    if (!this.bank.remembers(target)) throw new Error(`the state of slot ${target} is not known any more`)
    const { slot } = this.#ledger.blockAtOrBelow(target)
    this.bank.undo(slot)
    this.#ledger.rollback(slot)
    this.#tellTheMachine()
    this.#tell()
  }

  /** Sets the clock: the next slot begins at that second or later, and the clock goes on from there. */
  setTime(seconds: number): void {
    this.#clockOffset = seconds - this.options.now()
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }

  /** Sets the sysvars that programs read: clock and slot hashes. */
  #tellTheMachine(): void {
    const { slot, time } = this.#ledger.open
    const epoch = BigInt(Math.floor(slot / SLOTS_PER_EPOCH))
    const start = this.#ledger.first === 0 ? this.#ledger.blockAtOrBelow(0).time : time
    this.bank.svm.setClock(new Clock(BigInt(slot), BigInt(start), epoch, epoch + 1n, BigInt(time)))
    this.bank.svm.setSlotHashes(
      this.#ledger.newestBlocks(WINDOW).map((block) => ({ slot: BigInt(block.slot), hash: block.hash }))
    )
  }
}

/** The genesis hash of a chain of that name. */
export const genesisHashOf = (name: string): string => namedAddress(`causeway.localnet.solana:${name}`)

/** An address without a private key: the sha256 of its name. */
export const namedAddress = (name: string): Address =>
  address(base58.encode(createHash("sha256").update(name).digest()))
