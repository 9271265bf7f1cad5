/**
 * One movement of the ledger: postings under an id that the client chose (LEDGER-1).
 *
 * Guarantee: a transaction has one canonical form (each account and currency once, no zeros, sorted), so "the same
 * content" is plain equality. Its id makes it happen at most once, however often it is retried.
 */
import * as Schema from "effect/Schema"
import { CurrencyAddress } from "../chain/Address.ts"
import { ChainId } from "../chain/ChainId.ts"
import { Account, accountKey } from "./Account.ts"

/** Derived by the client from what the movement is about, such as a chain, a transaction and a log index. */
export const LedgerId = Schema.NonEmptyString.check(Schema.isMaxLength(256)).pipe(Schema.brand("LedgerId"))
export type LedgerId = typeof LedgerId.Type

/** The currency of balances: a currency of a chain. */
export const LedgerCurrency = Schema.Struct({ chainId: ChainId, address: CurrencyAddress })
export type LedgerCurrency = typeof LedgerCurrency.Type

/** A unique text for each currency. */
export const currencyKey = ({ address, chainId }: LedgerCurrency): string => `${chainId}:${address}`

/** What one account gains, or loses when negative, in one currency. */
export const Posting = Schema.Struct({
  account: Account,
  currency: LedgerCurrency,
  /** Smallest units of the currency, signed. */
  units: Schema.BigIntFromString
})
export type Posting = typeof Posting.Type

/** What a movement is for. */
export const TransactionKind = Schema.Literals([
  "credit",
  "hold",
  "capture",
  "release",
  "receivable",
  "settle",
  "accrue",
  "claim",
  "withdraw",
  "paid",
  "returned",
  "reopened"
])
export type TransactionKind = typeof TransactionKind.Type

/** A movement: entries that sum to zero in each currency, under one id. */
export const Transaction = Schema.Struct({ id: LedgerId, kind: TransactionKind, postings: Schema.Array(Posting) })
export type Transaction = typeof Transaction.Type

/** A unique text for each account and currency. */
export const postingKey = ({ account, currency }: Posting): string => `${accountKey(account)}@${currencyKey(currency)}`

/** The canonical form of a movement. */
export const transaction = (id: LedgerId, kind: TransactionKind, postings: ReadonlyArray<Posting>): Transaction => {
  const merged = new Map<string, Posting>()
  for (const posting of postings) {
    const key = postingKey(posting)
    merged.set(key, { ...posting, units: posting.units + (merged.get(key)?.units ?? 0n) })
  }
  const sorted = [...merged].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, posting]) => posting)
  return { id, kind, postings: sorted.filter(({ units }) => units !== 0n) }
}

const contentOf = ({ id, kind, postings }: Transaction): string =>
  JSON.stringify([
    id,
    kind,
    ...transaction(id, kind, postings).postings.map((posting) => [postingKey(posting), String(posting.units)])
  ])

/** True when two movements are the same: id, kind and canonical postings. */
export const sameTransaction = (a: Transaction, b: Transaction): boolean => contentOf(a) === contentOf(b)
