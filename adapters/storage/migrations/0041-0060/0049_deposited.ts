/**
 * How much a payment's deposit had when it was signed (REFUND-8). For payments that are there already, that is what is
 * known now: what was booked as lost of the deposit, else what its row says. NULL where neither is there, and for
 * payments without a deposit.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => {
  const amount = sql.onDialectOrElse({
    pg: () => sql`d.deposit::jsonb ->> 'amount'`,
    orElse: () => sql`json_extract(d.deposit, '$.amount')`
  })
  return [
    sql`ALTER TABLE payments ADD COLUMN deposited TEXT`,
    sql`UPDATE payments SET deposited = (
          SELECT COALESCE((SELECT l.amount FROM losses l WHERE l.id = 'deposit:' || d.onchain_id), ${amount})
          FROM deposits d WHERE d.onchain_id = payments.deposit)`
  ]
})
