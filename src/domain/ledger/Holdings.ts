/**
 * The money of a wallet in the ledger, as the balance endpoint shows it (BALANCE-3).
 *
 * The app balance is what the wallet may spend or withdraw, and what is held of it for requests in progress. App fees
 * belong to the wallet, too, but must be claimed first. A sponsor's debts and pending payouts are in neither.
 */
import type { Account } from "./Account.ts"
import { currencyKey } from "./Transaction.ts"
import type { LedgerCurrency } from "./Transaction.ts"

/** One currency of a wallet, in smallest units. */
export interface Holding {
  readonly currency: LedgerCurrency
  /** Unspent app balance. */
  readonly spendable: bigint
  /** App balance that is held for requests. */
  readonly held: bigint
  /** App fees that may be claimed. */
  readonly claimable: bigint
}

interface OwnedUnits {
  readonly account: Account
  readonly currency: LedgerCurrency
  readonly units: bigint
}

const part = (accounts: ReadonlyArray<OwnedUnits>, tag: Account["_tag"]): bigint =>
  accounts.filter(({ account }) => account._tag === tag).reduce((sum, { units }) => sum + units, 0n)

/** Each currency once, in the given order. Currencies without any amount are left out. */
export const holdingsOf = (accounts: ReadonlyArray<OwnedUnits>): ReadonlyArray<Holding> => {
  const byCurrency = Map.groupBy(accounts, ({ currency }) => currencyKey(currency))
  return [...byCurrency.values()].flatMap((of) => {
    const [first] = of
    const holding = { spendable: part(of, "Wallet"), held: part(of, "Hold"), claimable: part(of, "AppFeePayable") }
    return first === undefined || holding.spendable + holding.held + holding.claimable === 0n
      ? []
      : [{ currency: first.currency, ...holding }]
  })
}
