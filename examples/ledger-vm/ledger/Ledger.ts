/**
 * The ledger as one pure state machine: accounts with balances, transfers with a memo, blocks that are final once `n`
 * others are on top. Values in, values out. Clock, callers and transport are left to its shells (`node/`).
 *
 * Each sequence number is used once, by the first transfer that has it. A transfer that cannot be executed when its
 * block is made uses its fee and its sequence, and moves nothing else. Nodes take a transfer of more than its sender has
 * only where another account pays the fee.
 */
import { recoverDigest } from "causeway-kit"
import type { Address, CurrencyAddress } from "causeway-kit"
import { Result } from "effect"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { ledgerAddresses } from "../rules/LedgerAddresses.ts"
import { isSigned, type SignedTransfer, transferId } from "./Transfer.ts"

export interface LedgerCurrency {
  readonly address: CurrencyAddress
  readonly symbol: string
  readonly decimals: number
}

export interface LedgerTerms {
  readonly name: string
  /** The number of blocks on top that make a block final. */
  readonly finalAfter: number
  /** The cost of every transfer, smallest units of the ledger's own currency. Its sender or its payer has it. */
  readonly fee: bigint
  readonly currencies: ReadonlyArray<LedgerCurrency>
}

/** A transfer in a block. */
export interface Entry {
  readonly id: string
  readonly signed: SignedTransfer
  readonly succeeded: boolean
  readonly feePaid: bigint
}

export interface Block {
  readonly height: number
  readonly parent: string
  readonly hash: string
  /** Whole seconds. */
  readonly time: number
  readonly entries: ReadonlyArray<Entry>
}

export interface Account {
  /** The sequence of its next transfer. */
  readonly sequence: bigint
  readonly balances: ReadonlyMap<CurrencyAddress, bigint>
}

type Accounts = ReadonlyMap<Address, Account>

export interface LedgerState {
  readonly terms: LedgerTerms
  /** The first is the genesis. Each has the accounts after it. */
  readonly blocks: readonly [Kept, ...ReadonlyArray<Kept>]
  /** Sent, but in no block yet. */
  readonly pool: ReadonlyArray<SignedTransfer>
  /** Accounts that do not accept transfers. */
  readonly closed: ReadonlySet<Address>
  /**
   * The number of reorgs. It is part of later blocks' hashes, so a replacement never has the hash of the replaced
   * block.
   */
  readonly forks: number
  /** The height of the newest block that was final at the last reorg: it stays final on the shorter chain. */
  readonly finalBefore: number
}

interface Kept {
  readonly block: Block
  readonly accounts: Accounts
}

export type Refusal = "another ledger" | "not signed" | "fee too low" | "sequence used" | "unfunded"

const NOBODY: Account = { sequence: 0n, balances: new Map() }

const hashOf = (block: Omit<Block, "hash">, salt: string): string =>
  bytesToHex(sha256(utf8ToBytes(JSON.stringify([
    block.height,
    block.parent,
    block.time,
    block.entries.map(({ id, succeeded }) => [id, succeeded]),
    salt
  ]))))

/** `time`: whole seconds. */
export const genesis = (
  terms: LedgerTerms,
  time: number,
  holdings: ReadonlyArray<readonly [Address, CurrencyAddress, bigint]>
): LedgerState => {
  const accounts = new Map<Address, Account>()
  for (const [holder, currency, units] of holdings) {
    const { balances } = accounts.get(holder) ?? NOBODY
    accounts.set(holder, { sequence: 0n, balances: new Map([...balances, [currency, units]]) })
  }
  const block = { height: 0, parent: "", time, entries: [] }
  const kept = { block: { ...block, hash: hashOf(block, terms.name) }, accounts }
  return { terms, blocks: [kept], pool: [], closed: new Set(), forks: 0, finalBefore: 0 }
}

const newest = ({ blocks }: LedgerState): Kept => blocks.at(-1) ?? blocks[0]

export const headOf = (state: LedgerState): Block => newest(state).block

export const identityOf = ({ blocks: [{ block }] }: LedgerState): string => block.hash

const keptFinal = ({ blocks, finalBefore, terms }: LedgerState): Kept =>
  blocks[Math.min(blocks.length - 1, Math.max(finalBefore, blocks.length - 1 - terms.finalAfter))] ?? blocks[0]

/** The newest final block. The genesis is always final. */
export const finalOf = (state: LedgerState): Block => keptFinal(state).block

export const blockAt = ({ blocks }: LedgerState, height: number): Block | undefined => blocks[height]?.block

const accountAt = (accounts: Accounts, of: Address): Account => accounts.get(of) ?? NOBODY

export const accountOn = (state: LedgerState, of: Address): Account => accountAt(newest(state).accounts, of)

/** The account after the newest final block. */
export const finalAccount = (state: LedgerState, of: Address): Account => accountAt(keptFinal(state).accounts, of)

export const unitsOf = ({ balances }: Account, currency: CurrencyAddress): bigint => balances.get(currency) ?? 0n

/** The place of a transfer. Undefined when it is in no block. */
export const entryOf = (
  { blocks }: LedgerState,
  id: string
): { readonly block: Block; readonly entry: Entry } | undefined => {
  for (const { block } of blocks.toReversed()) {
    const entry = block.entries.find((each) => each.id === id)
    if (entry !== undefined) return { block, entry }
  }
  return undefined
}

const pooledOf = ({ pool }: LedgerState, id: string): SignedTransfer | undefined =>
  pool.find(({ transfer }) => transferId(transfer) === id)

export const isPooled = (state: LedgerState, id: string): boolean => pooledOf(state, id) !== undefined

/** The transfer, if it is in a block or waits for one. */
const acceptedOf = (state: LedgerState, id: string): SignedTransfer | undefined =>
  entryOf(state, id)?.entry.signed ?? pooledOf(state, id)

const native = ledgerAddresses.nativeCurrency

const affords = (accounts: Accounts, { transfer }: SignedTransfer, fee: bigint): boolean => {
  const { amount, currency, payer, sender } = transfer
  const account = accountAt(accounts, sender)
  if (payer !== undefined && payer !== sender) {
    return unitsOf(accountAt(accounts, payer), native) >= fee && unitsOf(account, currency) >= amount
  }
  return currency === native
    ? unitsOf(account, native) >= amount + fee
    : unitsOf(account, native) >= fee && unitsOf(account, currency) >= amount
}

/** Whether a node takes a transfer. If another account pays, failing costs the sender nothing. */
const isTaken = (accounts: Accounts, signed: SignedTransfer, fee: bigint): boolean => {
  const { payer, sender } = signed.transfer
  return payer === undefined || payer === sender
    ? affords(accounts, signed, fee)
    : unitsOf(accountAt(accounts, payer), native) >= fee
}

/**
 * Accepts a transfer for one of the next blocks. Accepting the same one again changes nothing. `recover`: recovers its
 * signer.
 */
export const submit = (
  state: LedgerState,
  signed: SignedTransfer,
  recover = recoverDigest
): Result.Result<LedgerState, Refusal> => {
  const { transfer } = signed
  const id = transferId(transfer)
  if (transfer.ledger !== identityOf(state)) return Result.fail("another ledger")
  const known = acceptedOf(state, id)
  // Its signatures were checked when it was accepted.
  const isKnown = known?.signature === signed.signature && known.payerSignature === signed.payerSignature
  if (!isKnown && !isSigned(signed, recover)) return Result.fail("not signed")
  if (known !== undefined) return Result.succeed(state)
  if (transfer.fee < state.terms.fee) return Result.fail("fee too low")
  const sender = accountOn(state, transfer.sender)
  const taken = state.pool.some(({ transfer: other }) =>
    other.sender === transfer.sender && other.sequence === transfer.sequence
  )
  if (transfer.sequence < sender.sequence || taken) return Result.fail("sequence used")
  return isTaken(newest(state).accounts, signed, state.terms.fee)
    ? Result.succeed({ ...state, pool: [...state.pool, signed] })
    : Result.fail("unfunded")
}

const added = (accounts: Map<Address, Account>, of: Address, currency: CurrencyAddress, units: bigint): void => {
  const account = accountAt(accounts, of)
  accounts.set(of, {
    ...account,
    balances: new Map([...account.balances, [currency, unitsOf(account, currency) + units]])
  })
}

/** Executes a transfer and changes `accounts` accordingly. */
const carryOut = ({ closed, terms }: LedgerState, accounts: Map<Address, Account>, signed: SignedTransfer): Entry => {
  const { transfer } = signed
  const { amount, currency, recipient, sender } = transfer
  const { payer = sender } = transfer
  const sending = accountAt(accounts, sender)
  const succeeded = affords(accounts, signed, terms.fee) && !closed.has(recipient)
  const held = unitsOf(accountAt(accounts, payer), native)
  const feePaid = held < terms.fee ? held : terms.fee
  accounts.set(sender, { ...sending, sequence: sending.sequence + 1n })
  added(accounts, payer, native, -feePaid)
  if (succeeded) {
    added(accounts, sender, currency, -amount)
    added(accounts, recipient, currency, amount)
  }
  return { id: transferId(transfer), signed, succeeded, feePaid }
}

/**
 * The next block: all transfers that their senders' sequences allow, in the order of arrival. `time`: whole seconds.
 */
export const nextBlock = (state: LedgerState, time: number): LedgerState => {
  const { accounts: before, block: parent } = newest(state)
  const accounts = new Map(before)
  const entries: Array<Entry> = []
  let pool = state.pool
  while (true) {
    const next = pool.find(({ transfer }) => transfer.sequence === accountAt(accounts, transfer.sender).sequence)
    if (next === undefined) break
    entries.push(carryOut(state, accounts, next))
    pool = pool.filter((each) => each !== next)
  }
  const made = { height: parent.height + 1, parent: parent.hash, time: Math.max(time, parent.time), entries }
  const block = { ...made, hash: hashOf(made, `${state.forks}`) }
  const left = pool.filter(({ transfer }) => transfer.sequence > accountAt(accounts, transfer.sender).sequence)
  return { ...state, blocks: [...state.blocks, { block, accounts }], pool: left }
}

/**
 * Removes the last blocks, never a final one. Their transfers either wait for the next block again ("kept"), or are
 * forgotten until their senders send them again.
 */
export const reorganise = (state: LedgerState, depth: number, transfers: "kept" | "forgotten"): LedgerState => {
  const length = Math.max(finalOf(state).height + 1, state.blocks.length - depth)
  const [first, ...rest] = state.blocks
  const undone = transfers === "kept" ? state.blocks.slice(length).flatMap(({ block }) => block.entries) : []
  return {
    ...state,
    blocks: [first, ...rest.slice(0, length - 1)],
    pool: [...undone.map(({ signed }) => signed), ...state.pool],
    forks: state.forks + 1,
    finalBefore: finalOf(state).height
  }
}

/** From now on the account does not accept transfers. */
export const close = (state: LedgerState, account: Address): LedgerState => ({
  ...state,
  closed: new Set([...state.closed, account])
})
