/** Reads of the ledger for one owner in SQL, one text for both engines. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AppBalances } from "../../../ports/store/ledger/AppBalances.ts"
import { Account } from "../../../src/domain/ledger/Account.ts"
import { Transaction } from "../../../src/domain/ledger/Transaction.ts"
import { CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { JsonText, Millis, SqlInt } from "../engine/Columns.ts"
import { readDebts } from "./DebtRows.ts"
import { storeCall } from "../StoreCall.ts"

const SignedText = Schema.String.check(Schema.isPattern(/^-?[0-9]{1,78}$/)).pipe(
  Schema.decodeTo(Schema.BigIntFromString)
)

const decodeAccounts = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  detail: JsonText(Account),
  chain_id: SqlInt.pipe(Schema.decodeTo(ChainId)),
  currency: CurrencyAddress,
  balance: SignedText
})))

const decodeMovements = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ content: JsonText(Transaction), posted_at: Millis }))
)

export const layer = Layer.effect(
  AppBalances,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const accountsOf: AppBalances["Service"]["accountsOf"] = (owner) =>
      sql`SELECT detail, chain_id, currency, balance FROM ledger_accounts
          WHERE owner = ${owner} AND balance <> '0' ORDER BY chain_id, currency, account`.pipe(
        Effect.flatMap(decodeAccounts),
        Effect.map((rows) =>
          rows.map((row) => ({
            account: row.detail,
            currency: { chainId: row.chain_id, address: row.currency },
            units: row.balance
          }))
        ),
        storeCall("AppBalances.accountsOf")
      )

    const movementsOf: AppBalances["Service"]["movementsOf"] = (owner, { before, limit }) => {
      const earlier = before === undefined
        ? sql`owner = ${owner}`
        : sql`owner = ${owner} AND (posted_at < ${before.at} OR (posted_at = ${before.at} AND transaction_id < ${before.id}))`
      return sql`SELECT ledger_transactions.content, ledger_transactions.posted_at FROM ledger_transactions
          JOIN (SELECT DISTINCT posted_at, transaction_id FROM ledger_entries WHERE ${earlier}
                ORDER BY posted_at DESC, transaction_id DESC LIMIT ${limit}) AS page
          ON page.transaction_id = ledger_transactions.id
          ORDER BY ledger_transactions.posted_at DESC, ledger_transactions.id DESC`.pipe(
        Effect.flatMap(decodeMovements),
        Effect.map((rows) => rows.map((row) => ({ transaction: row.content, at: row.posted_at }))),
        storeCall("AppBalances.movementsOf")
      )
    }

    const movementsOfKind: AppBalances["Service"]["movementsOfKind"] = (kind) =>
      sql`SELECT content, posted_at FROM ledger_transactions WHERE kind = ${kind} ORDER BY posted_at, id`.pipe(
        Effect.flatMap(decodeMovements),
        Effect.map((rows) => rows.map((row) => ({ transaction: row.content, at: row.posted_at }))),
        storeCall("AppBalances.movementsOfKind")
      )

    const debtsOf: AppBalances["Service"]["debtsOf"] = (wallet) =>
      readDebts(sql, wallet).pipe(storeCall("AppBalances.debtsOf"))

    const movement: AppBalances["Service"]["movement"] = (id) =>
      sql`SELECT content, posted_at FROM ledger_transactions WHERE id = ${id}`.pipe(
        Effect.flatMap(decodeMovements),
        Effect.map(([row]) => row === undefined ? undefined : { transaction: row.content, at: row.posted_at }),
        storeCall("AppBalances.movement")
      )

    return AppBalances.of({ accountsOf, debtsOf, movement, movementsOf, movementsOfKind })
  })
)
