/**
 * The accounts of the chain: litesvm's, with a log of what they were before.
 *
 * The log makes three things possible that litesvm does not have: the state
 * below the head (what `confirmed` and `finalized` mean), a rollback to the
 * unit, and a small state file, because what was never touched need not be
 * kept. Blocks, fees' receivers and the validity of blockhashes are not here.
 */
import type { Address } from "@solana/kit"
import { lamports } from "@solana/kit"
import { LiteSVM } from "litesvm"
import type { Account } from "./Account.ts"
import { isSame, systemProgram, wallet } from "./Account.ts"

interface Change {
  readonly slot: number
  readonly address: Address
  readonly before: Account | undefined
}

/** Changes that are kept: the oldest go first, and with them the possibility of going back to before them. */
const KEPT = 50_000

export class Bank {
  readonly svm: LiteSVM
  #changes: Array<Change> = []
  /** The log says nothing of slots up to this one. */
  #forgotten = -1
  readonly #touched = new Set<Address>()

  constructor() {
    // Blockhashes and duplicates are judged by the ledger, as a node does: litesvm knows one valid blockhash at a time.
    this.svm = new LiteSVM().withBlockhashCheck(false).withTransactionHistory(0n)
  }

  /** The account now; undefined when there is none. */
  read(address: Address): Account | undefined {
    const found = this.svm.getAccount(address)
    if (!found.exists) return undefined
    return { lamports: found.lamports, data: found.data, owner: found.programAddress, executable: found.executable }
  }

  /** The account as it was at the end of a slot. */
  readAt(address: Address, slot: number): Account | undefined {
    const later = this.#changes.find((change) => change.slot > slot && change.address === address)
    return later === undefined ? this.read(address) : later.before
  }

  /** Every account of a program at the end of a slot. */
  ownedBy(program: Address, slot: number): ReadonlyArray<readonly [Address, Account]> {
    const candidates = new Set(this.svm.getProgramAccounts(program).map(({ address }) => address))
    for (const change of this.#changes) if (change.slot > slot) candidates.add(change.address)
    return [...candidates].flatMap((address) => {
      const account = this.readAt(address, slot)
      return account?.owner === program ? [[address, account] as const] : []
    })
  }

  /** Overwrites an account without a transaction; `undefined` removes it. */
  write(slot: number, address: Address, account: Account | undefined): void {
    const before = this.read(address)
    this.#set(address, account)
    this.noteChange(slot, address, before)
  }

  /** Accounts as they were kept at the end of a slot: what was before is not known. */
  restore(slot: number, accounts: ReadonlyArray<readonly [Address, Account | undefined]>): void {
    for (const [address, account] of accounts) {
      this.#set(address, account)
      this.#touched.add(address)
    }
    this.#forgotten = slot
  }

  /** To be called for every account that a transaction may have changed, with what it was before. */
  noteChange(slot: number, address: Address, before: Account | undefined): void {
    if (isSame(before, this.read(address))) return
    this.#touched.add(address)
    this.#changes.push({ slot, address, before })
    if (this.#changes.length <= KEPT) return
    this.#changes = this.#changes.slice(KEPT / 2)
    this.#forgotten = this.#changes[0]?.slot ?? slot
  }

  /** Whether the state at the end of that slot can still be told. */
  remembers(slot: number): boolean {
    return slot >= this.#forgotten
  }

  /** Takes back everything that happened after the end of a slot. */
  undo(slot: number): void {
    const first = this.#changes.findIndex((change) => change.slot > slot)
    if (first < 0) return
    for (const { address, before } of this.#changes.slice(first).toReversed()) this.#set(address, before)
    this.#changes = this.#changes.slice(0, first)
  }

  /** Everything that is not as litesvm makes it. */
  touched(): ReadonlyArray<readonly [Address, Account | undefined]> {
    return [...this.#touched].map((address) => [address, this.read(address)] as const)
  }

  #set(address: Address, account: Account | undefined): void {
    const { data, executable, lamports: amount, owner } = account ?? wallet(0n)
    this.svm.setAccount({
      address,
      executable,
      lamports: lamports(amount),
      programAddress: account === undefined ? systemProgram : owner,
      data,
      space: BigInt(data.length)
    })
  }
}
