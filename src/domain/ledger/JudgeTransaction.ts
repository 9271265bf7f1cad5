/**
 * Whether a movement may be posted, given the balances of its accounts. The ledger in memory and the one in a database
 * use this same rule (LEDGER-2).
 *
 * Guarantee: an accepted movement sums to zero in each currency, separately for money and for promises. It leaves every
 * account with its own sign, and pays no recipient more than that sponsor owes it. So the claims of wallets, holds,
 * recipients and the solver always equal what was received.
 */
import * as Result from "effect/Result"
import { type Account, accountKey, isFunded, mayHave } from "./Account.ts"
import { debtChanges, debtKey } from "./Debts.ts"
import type { Debt, DebtParties } from "./Debts.ts"
import { LedgerRefused } from "./LedgerRefused.ts"
import {
  currencyKey,
  type LedgerCurrency,
  type Posting,
  postingKey,
  type Transaction,
  transaction
} from "./Transaction.ts"

/** Reads a balance: smallest units of the currency, zero for an account without postings. */
export type BalanceOf = (account: Account, currency: LedgerCurrency) => bigint

/** Reads a debt: smallest units of the currency, zero when nothing is owed. */
export type DebtOf = (parties: DebtParties) => bigint

/** An account's balance after a transaction, smallest units of the currency. */
export interface NewBalance {
  readonly key: string
  readonly posting: Posting
  readonly balance: bigint
}

/** The result of a movement. */
export interface Judged {
  readonly balances: ReadonlyArray<NewBalance>
  /** The debts that it changes, with their new amounts. */
  readonly debts: ReadonlyArray<Debt & { readonly key: string }>
}

const sumsToZero = (postings: ReadonlyArray<Posting>): boolean => {
  const sums = new Map<string, bigint>()
  for (const { currency, units } of postings) {
    const key = currencyKey(currency)
    sums.set(key, (sums.get(key) ?? 0n) + units)
  }
  return [...sums.values()].every((sum) => sum === 0n)
}

/**
 * The result of a movement, or LedgerRefused: empty, unbalanced, unfunded, overdraft, hold-left-open, not-owed. The
 * ledger itself checks for duplicate ids.
 */
export const judgeTransaction = (
  { id, kind, postings: given }: Transaction,
  balanceOf: BalanceOf,
  debtOf: DebtOf
): Result.Result<Judged, LedgerRefused> => {
  const made = transaction(id, kind, given)
  const { postings } = made
  if (postings.length === 0) return Result.fail(new LedgerRefused({ id, reason: "empty" }))
  if (!sumsToZero(postings)) return Result.fail(new LedgerRefused({ id, reason: "unbalanced" }))
  if (!sumsToZero(postings.filter(({ account }) => isFunded(account)))) {
    return Result.fail(new LedgerRefused({ id, reason: "unfunded" }))
  }
  const after = postings.map((posting) => ({
    key: postingKey(posting),
    posting,
    balance: balanceOf(posting.account, posting.currency) + posting.units
  }))
  const overdrawn = after.find(({ balance, posting }) => !mayHave(posting.account, balance))
  if (overdrawn !== undefined) {
    return Result.fail(new LedgerRefused({ id, reason: "overdraft", account: accountKey(overdrawn.posting.account) }))
  }
  // A hold or a payout is emptied in one movement, so no rest is forgotten.
  const open = after.find(({ balance, posting: { account, units } }) =>
    (account._tag === "Hold" || account._tag === "Payout") && units < 0n && balance !== 0n
  )
  if (open !== undefined) {
    return Result.fail(new LedgerRefused({ id, reason: "hold-left-open", account: accountKey(open.posting.account) }))
  }
  const debts = debtChanges(made)?.map((change) => ({
    ...change,
    key: debtKey(change),
    units: debtOf(change) + change.units
  }))
  return debts === undefined || debts.some(({ units }) => units < 0n)
    ? Result.fail(new LedgerRefused({ id, reason: "not-owed" }))
    : Result.succeed({ balances: after, debts })
}
