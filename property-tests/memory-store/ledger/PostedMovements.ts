/** Movements of the ledger: the domain judges them, and entries, balances and debts are written together. */
import * as Result from "effect/Result"
import { accountKey, ownerOf } from "../../../src/domain/ledger/Account.ts"
import type { Account } from "../../../src/domain/ledger/Account.ts"
import { debtKey } from "../../../src/domain/ledger/Debts.ts"
import { judgeTransaction } from "../../../src/domain/ledger/JudgeTransaction.ts"
import type { Judged } from "../../../src/domain/ledger/JudgeTransaction.ts"
import { LedgerRefused } from "../../../src/domain/ledger/LedgerRefused.ts"
import { currencyKey, sameTransaction, transaction } from "../../../src/domain/ledger/Transaction.ts"
import type { LedgerCurrency, Transaction } from "../../../src/domain/ledger/Transaction.ts"
import { tellBalance } from "../clients/WebhookOutbox.ts"
import { keyOf } from "../Tables.ts"
import type { Tables } from "../Tables.ts"

const balanceKey = (account: Account, currency: LedgerCurrency): string =>
  keyOf(accountKey(account), currencyKey(currency))

/** Smallest units of the currency; zero for an account without postings. */
export const balanceIn = ({ balances }: Tables, account: Account, currency: LedgerCurrency): bigint =>
  balances.get(balanceKey(account, currency))?.units ?? 0n

const write = (tables: Tables, made: Transaction, { balances, debts }: Judged, at: number): void => {
  tables.movements.add(made.id, { transaction: made, at })
  for (const { key, ...debt } of debts) tables.debts.set(key, debt)
  for (const { balance, posting: { account, currency, units } } of balances) {
    const key = balanceKey(account, currency)
    const before = tables.balances.get(key)?.units ?? 0n
    tables.balances.set(key, { account, currency, units: balance })
    const entry = { movement: made.id, account, currency, units, owner: ownerOf(account), at }
    tables.entries.add(keyOf(made.id, key), entry)
    if (account._tag === "Wallet") {
      tellBalance(tables, { movement: made.id, wallet: account.wallet, before, after: balance, at })
    }
  }
}

/** Posts a movement, unless it is posted already. A refusal has written nothing. */
export const postMovement = (tables: Tables, given: Transaction, at: number): Result.Result<void, LedgerRefused> => {
  const made = transaction(given.id, given.kind, given.postings)
  const known = tables.movements.get(made.id)
  if (known !== undefined) {
    return sameTransaction(known.transaction, made)
      ? Result.succeed(undefined)
      : Result.fail(new LedgerRefused({ id: made.id, reason: "duplicate-id" }))
  }
  return Result.map(
    judgeTransaction(
      made,
      (account, currency) => balanceIn(tables, account, currency),
      (parties) => tables.debts.get(debtKey(parties))?.units ?? 0n
    ),
    (judged) => write(tables, made, judged, at)
  )
}

/** Posts a movement that the ledger accepts, because what it rests on was checked. A refusal is a defect. */
export const postKnown = (tables: Tables, made: Result.Result<Transaction, LedgerRefused>, at: number): void => {
  const posted = Result.flatMap(made, (movement) => postMovement(tables, movement, at))
  if (Result.isFailure(posted)) throw posted.failure
}
