/**
 * One Solana chain: bank, ledger, clock and commitments, and nothing of HTTP.
 *
 * Execution is litesvm's; leaders, votes and forks are not there: a slot is
 * confirmed and finalized by how many came after it. Everything is synchronous,
 * so that no request ever sees half a slot. Time comes from the caller.
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
  /** What tells this chain from others: its genesis hash follows from it. */
  readonly name: string
  /** How many slots later a slot is confirmed and finalized. */
  readonly confirmedAfter: number
  readonly finalizedAfter: number
  /** Each transaction ends its slot at once. */
  readonly automine: boolean
  /** Seconds since 1970. */
  readonly now: () => number
}

/** What is restored from a state file. */
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
    // Everything kept is final: what was before it is not known, and nobody who saw it shall see it go.
    if (kept !== undefined) this.advance(options.finalizedAfter)
  }

  get ledger(): Ledger {
    return this.#ledger
  }

  get clockOffset(): number {
    return this.#clockOffset
  }

  /** Calls back after every change of slot and every transaction; gives the way to end that. */
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

  /** Why a transaction cannot be executed now; undefined when it can, as far as the ledger says. */
  refusal({ blockhash, signature }: Submitted): TransactionError | undefined {
    if (this.#ledger.transaction(signature) !== undefined) return "AlreadyProcessed"
    return this.#ledger.validBlock(blockhash) === undefined ? "BlockhashNotFound" : undefined
  }

  /** Executes a transaction in the open slot, which it ends when the chain mines by itself. */
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

  /** Overwrites an account in the open slot, as no transaction could. */
  setAccount(key: Address, account: Account | undefined): void {
    this.bank.write(this.#ledger.open.slot, key, account)
  }

  /** Ends the open slot with a block; `skipped` slots have none before the next one. */
  advance(skipped = 0): void {
    this.#ledger.advance(this.options.now() + this.#clockOffset, skipped)
    this.#tellTheMachine()
    this.#tell()
  }

  /**
   * A fork that loses: what happened in the last `depth` slots, the open one among them, has not happened.
   * Their transactions are gone for good unless they are sent again, and the slots count as skipped.
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

  /** Sets the clock: the next slots begin at that second, or later, and it goes on from there. */
  setTime(seconds: number): void {
    this.#clockOffset = seconds - this.options.now()
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }

  /** The sysvars that programs read: clock and slot hashes. */
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

/** An address of which nobody has a key: sha256 of its name. */
export const namedAddress = (name: string): Address =>
  address(base58.encode(createHash("sha256").update(name).digest()))
