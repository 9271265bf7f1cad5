/**
 * What each sponsor owes each recipient for app fees that it took over (SPONSOR-9). Booked when a fill is final, and
 * paid when the sponsor signs. Until then it is not money.
 *
 * The accounts hold the two sides (`Receivable` of a sponsor, `AppFeePending` of a recipient). This module knows who
 * owes whom.
 */
import type { Address } from "../chain/Address.ts"
import { currencyKey, type LedgerCurrency, type Transaction } from "./Transaction.ts"

/** Debtor and creditor. */
export interface DebtParties {
  readonly wallet: Address
  readonly recipient: Address
  readonly currency: LedgerCurrency
}

/** Smallest units of the currency. */
export interface Debt extends DebtParties {
  readonly units: bigint
}

/** A unique text for each debt. */
export const debtKey = ({ currency, recipient, wallet }: DebtParties): string =>
  `${wallet}>${recipient}@${currencyKey(currency)}`

/**
 * The debts that a movement changes. Empty for a movement of money alone. Undefined when it moves promises of several
 * sponsors or of none, as then the debtor is unknown.
 */
export const debtChanges = ({ postings }: Transaction): ReadonlyArray<Debt> | undefined => {
  const sponsors = new Set(postings.flatMap(({ account }) => account._tag === "Receivable" ? [account.wallet] : []))
  const [wallet, another] = sponsors
  const pending = postings.flatMap(({ account, currency, units }) =>
    account._tag === "AppFeePending" ? [{ recipient: account.recipient, currency, units }] : []
  )
  if (wallet === undefined) return pending.length === 0 ? [] : undefined
  return another === undefined ? pending.map((each) => ({ wallet, ...each })) : undefined
}
