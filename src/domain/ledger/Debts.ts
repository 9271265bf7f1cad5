/**
 * What each sponsor owes each recipient of the app fees that it took over (SPONSOR-9): booked when a fill is final,
 * paid by the sponsor's signed word, and nobody's money until then.
 *
 * The accounts hold the two sides (`Receivable` of a sponsor, `AppFeePending` of a recipient); here is who owes whom.
 */
import type { Address } from "../chain/Address.ts"
import { currencyKey, type LedgerCurrency, type Transaction } from "./Transaction.ts"

/** Who owes whom. */
export interface DebtParties {
  readonly wallet: Address
  readonly recipient: Address
  readonly currency: LedgerCurrency
}

/** Smallest units of the currency. */
export interface Debt extends DebtParties {
  readonly units: bigint
}

/** The text by which a debt is told from all others. */
export const debtKey = ({ currency, recipient, wallet }: DebtParties): string =>
  `${wallet}>${recipient}@${currencyKey(currency)}`

/**
 * What a movement changes in debts; none for a movement of money alone. Undefined when it moves promises that are not
 * all one sponsor's: nobody could say who owes them.
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
