/** Accounts whose kept balance is not the sum of their entries, and debts likewise: every entry is read. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import type { LedgerDifference } from "../../../ports/store/ledger/Ledger.ts"
import type { LedgerCurrency } from "../../../src/domain/ledger/Transaction.ts"
import { CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { SqlInt } from "../engine/Columns.ts"
import { readDebts } from "./DebtRows.ts"
import { storeCall } from "../StoreCall.ts"

export const SignedText = Schema.String.check(Schema.isPattern(/^(0|-?[1-9][0-9]{0,77})$/)).pipe(
  Schema.decodeTo(Schema.BigIntFromString)
)

const decodeSums = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  account: Schema.String,
  chain_id: SqlInt.pipe(Schema.decodeTo(ChainId)),
  currency: CurrencyAddress,
  amount: SignedText
})))

export const ledgerDifferences = (sql: SqlClient.SqlClient) => {
  const differences: Ledger["Service"]["differences"] = sql.withTransaction(Effect.gen(function*() {
    // Both are read of one moment: PostgreSQL would show the second what was posted after the first.
    yield* sql.onDialectOrElse({
      pg: () => Effect.asVoid(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`),
      orElse: () => Effect.void
    })
    const accounts = yield* decodeSums(
      yield* sql`SELECT account, chain_id, currency, balance AS amount FROM ledger_accounts`
    )
    const debts = (yield* readDebts(sql)).map(({ currency: { address, chainId }, recipient, units, wallet }) => ({
      account: `Debt:${wallet}>${recipient}`,
      chain_id: chainId,
      currency: address,
      amount: units
    }))
    const kept = [...accounts, ...debts]
    const entries = yield* decodeSums(
      yield* sql`SELECT account, chain_id, currency, units AS amount FROM ledger_entries
      UNION ALL SELECT 'Debt:' || substr(sponsor.account, 12) || '>' || substr(pending.account, 15), pending.chain_id, pending.currency, pending.units
      FROM ledger_entries sponsor JOIN ledger_entries pending
        ON pending.transaction_id = sponsor.transaction_id AND pending.chain_id = sponsor.chain_id AND pending.currency = sponsor.currency
      WHERE sponsor.account LIKE 'Receivable:%' AND pending.account LIKE 'AppFeePending:%'`
    )
    const keyOf = (row: (typeof kept)[number]) => `${row.account}@${row.chain_id}:${row.currency}`
    const sums = new Map<string, bigint>()
    for (const entry of entries) sums.set(keyOf(entry), (sums.get(keyOf(entry)) ?? 0n) + entry.amount)
    const keys = new Set(kept.map(keyOf))
    const unkept = entries.filter((entry) => !keys.has(keyOf(entry))).map((entry) => ({ ...entry, amount: 0n }))
    const rows = new Map([...unkept, ...kept].map((row) => [keyOf(row), row]))
    return [...rows].flatMap(([key, { account, amount, chain_id, currency }]): ReadonlyArray<LedgerDifference> => {
      const summed = sums.get(key) ?? 0n
      const named: LedgerCurrency = { chainId: chain_id, address: currency }
      return summed === amount ? [] : [{ account, currency: named, kept: amount, summed }]
    })
  })).pipe(storeCall("Ledger.differences"))

  return { differences }
}
