/**
 * The double-entry ledger in memory: append-only movements, with balances as their sums (LEDGER-1).
 *
 * Guarantee: a ledger is a value. Posting gives a new ledger or a refusal. Posting a movement twice is the same as
 * posting it once. Not the store of record: that one keeps entries in a database and uses the same rule
 * (`JudgeTransaction.ts`).
 */
import * as Chunk from "effect/Chunk"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { type Account, accountKey } from "./Account.ts"
import { debtKey } from "./Debts.ts"
import type { DebtParties } from "./Debts.ts"
import { judgeTransaction } from "./JudgeTransaction.ts"
import { LedgerRefused } from "./LedgerRefused.ts"
import {
  currencyKey,
  type LedgerCurrency,
  type LedgerId,
  postingKey,
  sameTransaction,
  type Transaction
} from "./Transaction.ts"

/** The state of a ledger: its movements, oldest first, and what they sum up to in smallest units. */
export interface Ledger {
  /** Oldest first. */
  readonly transactions: Chunk.Chunk<Transaction>
  readonly byId: HashMap.HashMap<LedgerId, Transaction>
  readonly balances: HashMap.HashMap<string, bigint>
  readonly debts: HashMap.HashMap<string, bigint>
}

/** The ledger without movements. */
export const emptyLedger: Ledger = {
  transactions: Chunk.empty(),
  byId: HashMap.empty(),
  balances: HashMap.empty(),
  debts: HashMap.empty()
}

/** Smallest units of the currency. Zero for an account without postings. */
export const balanceOf = (ledger: Ledger, account: Account, currency: LedgerCurrency): bigint =>
  Option.getOrElse(HashMap.get(ledger.balances, `${accountKey(account)}@${currencyKey(currency)}`), () => 0n)

/** Smallest units of the currency that a sponsor owes a recipient. */
export const debtOf = (ledger: Ledger, parties: DebtParties): bigint =>
  Option.getOrElse(HashMap.get(ledger.debts, debtKey(parties)), () => 0n)

/**
 * The ledger with a movement added. Unchanged when it already contains this exact movement, LedgerRefused otherwise.
 */
export const post = (ledger: Ledger, transaction: Transaction): Result.Result<Ledger, LedgerRefused> => {
  const known = Option.getOrUndefined(HashMap.get(ledger.byId, transaction.id))
  if (known !== undefined) {
    return sameTransaction(known, transaction)
      ? Result.succeed(ledger)
      : Result.fail(new LedgerRefused({ id: transaction.id, reason: "duplicate-id" }))
  }
  return Result.map(
    judgeTransaction(
      transaction,
      (account, currency) => balanceOf(ledger, account, currency),
      (parties) => debtOf(ledger, parties)
    ),
    ({ balances: after, debts }) => ({
      transactions: Chunk.append(ledger.transactions, transaction),
      byId: HashMap.set(ledger.byId, transaction.id, transaction),
      balances: after.reduce((balances, { balance, key }) => HashMap.set(balances, key, balance), ledger.balances),
      debts: debts.reduce((owed, { key, units }) => HashMap.set(owed, key, units), ledger.debts)
    })
  )
}

/** Balances as the sums of all postings, by posting key. Reconciliation compares stored balances with these. */
export const sumPostings = (transactions: Iterable<Transaction>): ReadonlyMap<string, bigint> => {
  const sums = new Map<string, bigint>()
  for (const { postings } of transactions) {
    for (const posting of postings) {
      const key = postingKey(posting)
      sums.set(key, (sums.get(key) ?? 0n) + posting.units)
    }
  }
  return sums
}
