/**
 * Data for reconciliation, restoring and accounting: where scanning and paying began, restorations, prices at the fill.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  // Unknown for what a store began before it had these columns.
  sql`ALTER TABLE cursors ADD COLUMN anchored TEXT`,
  sql`ALTER TABLE account_sequences ADD COLUMN first TEXT`,
  sql`CREATE TABLE restorations (
    chain_id BIGINT NOT NULL PRIMARY KEY,
    height TEXT NOT NULL,
    restored_at BIGINT NOT NULL,
    fence TEXT,
    settled_at BIGINT
  )`,
  sql`CREATE TABLE valuations (
    onchain_id TEXT NOT NULL,
    chain_id BIGINT NOT NULL,
    currency TEXT NOT NULL,
    price TEXT NOT NULL,
    PRIMARY KEY (onchain_id, chain_id, currency)
  )`
])
