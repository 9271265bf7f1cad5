/**
 * Every signed variant of a payment; the last block of each chain that was seen as final; losses from reorgs past that
 * block.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  // Replacements at higher fees share one sequence, and any of them may be the one that is executed.
  sql`CREATE TABLE payment_variants (
    transaction_id TEXT NOT NULL PRIMARY KEY,
    chain_id BIGINT NOT NULL,
    account TEXT NOT NULL,
    sequence TEXT NOT NULL,
    variant BIGINT NOT NULL,
    raw TEXT NOT NULL,
    signed_at BIGINT NOT NULL,
    UNIQUE (chain_id, account, sequence, variant)
  )`,
  sql`INSERT INTO payment_variants (transaction_id, chain_id, account, sequence, variant, raw, signed_at)
      SELECT transaction_id, chain_id, account, sequence, 0, raw, signed_at FROM payments`,
  sql`CREATE INDEX payments_by_deposit ON payments (deposit)`,
  sql`CREATE TABLE final_blocks (
    chain_id BIGINT NOT NULL PRIMARY KEY,
    height TEXT NOT NULL,
    hash TEXT NOT NULL
  )`,
  sql`CREATE TABLE losses (
    id TEXT NOT NULL PRIMARY KEY,
    chain_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    order_id TEXT NOT NULL,
    deposit TEXT NOT NULL,
    transaction_id TEXT NOT NULL,
    currency TEXT NOT NULL,
    amount TEXT NOT NULL,
    noticed_at BIGINT NOT NULL,
    recovered_at BIGINT
  )`,
  sql`CREATE INDEX losses_by_deposit ON losses (deposit)`
])
