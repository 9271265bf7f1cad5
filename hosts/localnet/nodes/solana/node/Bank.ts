/**
 * The chain's accounts: litesvm's, with a log of their earlier states.
 *
 * The log makes three things possible that litesvm lacks: the state below the head (for `confirmed` and `finalized`),
 * exact rollbacks, and a small state file, because untouched accounts need not be stored. Blocks, the receivers of fees
 * and the validity of blockhashes are not handled here.
 */
import type { Address } from "@solana/kit"
import { lamports } from "@solana/kit"
import { LiteSVM, Rent } from "litesvm"
import type { Account } from "./Account.ts"
import { isSame, systemProgram, wallet } from "./Account.ts"

interface Change {
  readonly slot: number
  readonly address: Address
  readonly before: Account | undefined
}

/** The number of logged changes. The oldest are dropped first, and then a rollback to before them is impossible. */
const KEPT = 50_000

export class Bank {
  readonly svm: LiteSVM
  #changes: Array<Change> = []
  /** The log has no changes of slots up to this one. */
  #forgotten = -1
  readonly #touched = new Set<Address>()

  constructor() {
    // The ledger judges blockhashes and duplicates, as a node does: litesvm knows only one valid blockhash at a time.
    this.svm = new LiteSVM().withBlockhashCheck(false).withTransactionHistory(0n)
  }

  /** The account now. Undefined when it does not exist. */
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

  /** Overwrites an account without a transaction. `undefined` removes it. */
  write(slot: number, address: Address, account: Account | undefined): void {
    const before = this.read(address)
    this.#set(address, account)
    this.noteChange(slot, address, before)
  }

  /** Restores accounts as they were at the end of a slot. Their earlier states are unknown. */
  restore(slot: number, accounts: ReadonlyArray<readonly [Address, Account | undefined]>): void {
    for (const [address, account] of accounts) {
      this.#set(address, account)
      this.#touched.add(address)
    }
    this.#forgotten = slot
  }

  /** Must be called for every account that a transaction may have changed, with its earlier state. */
  noteChange(slot: number, address: Address, before: Account | undefined): void {
    if (isSame(before, this.read(address))) return
    this.#touched.add(address)
    this.#changes.push({ slot, address, before })
    if (this.#changes.length <= KEPT) return
    this.#changes = this.#changes.slice(KEPT / 2)
    this.#forgotten = this.#changes[0]?.slot ?? slot
  }

  /** Whether the state at the end of that slot is still known. */
  remembers(slot: number): boolean {
    return slot >= this.#forgotten
  }

  /**
   * What a byte of an account costs from now on, lamports, for the machine, its programs and the interface. A rollback
   * does not undo it, and a state file does not keep it.
   */
  setRent(lamportsAByte: bigint): void {
    const { burnPercent } = this.svm.getRent()
    this.svm.setRent(new Rent(lamportsAByte, 1, burnPercent))
  }

  /** Undoes everything after the end of a slot. */
  undo(slot: number): void {
    const first = this.#changes.findIndex((change) => change.slot > slot)
    if (first < 0) return
    for (const { address, before } of this.#changes.slice(first).toReversed()) this.#set(address, before)
    this.#changes = this.#changes.slice(0, first)
  }

  /** All accounts that differ from litesvm's initial state. */
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
