/**
 * The rows of what sponsors owe. For the ledger, which changes them in its own transactions and under its own locks.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Debt, DebtParties } from "../../../src/domain/ledger/Debts.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { SqlInt, UintText } from "../engine/Columns.ts"

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  wallet: Address,
  recipient: Address,
  chain_id: SqlInt.pipe(Schema.decodeTo(ChainId)),
  currency: CurrencyAddress,
  units: UintText
})))

const decodeDebts = (rows: unknown) =>
  Effect.map(
    decodeRows(rows),
    (all) =>
      all.map(({ chain_id: chainId, currency: address, recipient, units, wallet }): Debt => ({
        wallet,
        recipient,
        currency: { chainId, address },
        units
      }))
  )

/**
 * The stored amount of one debt; zero where there is no row. A caller that changes it must hold the row of the
 * sponsor's account.
 */
export const readDebt = (sql: SqlClient.SqlClient, { currency, recipient, wallet }: DebtParties) =>
  sql`SELECT wallet, recipient, chain_id, currency, units FROM debts
      WHERE wallet = ${wallet} AND recipient = ${recipient} AND chain_id = ${currency.chainId} AND currency = ${currency.address}`
    .pipe(
      Effect.flatMap(decodeDebts),
      Effect.map(([debt]) => debt?.units ?? 0n)
    )

/** Every unpaid debt, of one sponsor or of all. */
export const readDebts = (sql: SqlClient.SqlClient, wallet?: Address) =>
  sql`SELECT wallet, recipient, chain_id, currency, units FROM debts
      WHERE units <> '0' AND ${
    wallet === undefined ? sql`1 = 1` : sql`wallet = ${wallet}`
  } ORDER BY wallet, recipient, chain_id, currency`.pipe(
    Effect.flatMap(decodeDebts)
  )

export const writeDebt = (sql: SqlClient.SqlClient, { currency, recipient, units, wallet }: Debt) => {
  const row = { wallet, recipient, chain_id: currency.chainId, currency: currency.address, units: units.toString() }
  return sql`INSERT INTO debts ${sql.insert(row)}
    ON CONFLICT (wallet, recipient, chain_id, currency) DO UPDATE SET units = ${row.units}`
}
