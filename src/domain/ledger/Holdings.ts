/**
 * What a wallet has in the ledger, in the words of the balance endpoint (BALANCE-3).
 *
 * The app balance is what the wallet may spend or withdraw, and what is held of it for requests on their way. App fees
 * are the wallet's too, but it has to claim them first. What a sponsor only owes, and what is being paid out, is
 * neither.
 */
import type { Account } from "./Account.ts"
import { currencyKey } from "./Transaction.ts"
import type { LedgerCurrency } from "./Transaction.ts"

/** One currency of a wallet; smallest units. */
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

/** Each currency once, in the order given; one in which there is nothing is left out. */
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
