/**
 * Gas topups: what was paid for them, and what is reserved for them beside an order's output. Also fills that wait for
 * inventory, in the order in which they came.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`ALTER TABLE payments ADD COLUMN topup TEXT`,
  sql`CREATE TABLE topup_promises (
    order_id TEXT NOT NULL PRIMARY KEY,
    chain_id BIGINT NOT NULL,
    currency TEXT NOT NULL,
    holding TEXT NOT NULL,
    amount TEXT NOT NULL
  )`,
  sql`CREATE INDEX topup_promises_by_currency ON topup_promises (chain_id, currency)`,
  sql`CREATE TABLE waiting_fills (
    order_id TEXT NOT NULL,
    chain_id BIGINT NOT NULL,
    currency TEXT NOT NULL,
    holding TEXT NOT NULL,
    amount TEXT NOT NULL,
    since BIGINT NOT NULL,
    until BIGINT NOT NULL,
    PRIMARY KEY (order_id, currency)
  )`,
  sql`CREATE INDEX waiting_fills_by_currency ON waiting_fills (chain_id, currency, since)`
])
