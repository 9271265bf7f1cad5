/**
 * Data to track a submission by itself, no matter which hub is configured now. Slots belong to one chain and are freed
 * once a payment is in a block. Settled deposits are rechecked. Deposits that a worker of an earlier version closed are
 * found without a search.
 *
 * A worker of the previous version may keep running: this version fills in the columns that it leaves empty, or does
 * without them.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`ALTER TABLE submissions ADD COLUMN gate TEXT`,
  sql`ALTER TABLE submissions ADD COLUMN placed_at BIGINT`,
  sql`DROP INDEX submissions_slots`,
  // Only one submission can have a slot of a chain, until its payment is in a block.
  sql`CREATE UNIQUE INDEX submissions_slots ON submissions (chain_id, slot) WHERE state = 'open' AND placed_at IS NULL`,
  sql`ALTER TABLE settlements ADD COLUMN settled_chain BIGINT`,
  sql`ALTER TABLE settlements ADD COLUMN settled_gate TEXT`,
  sql`ALTER TABLE settlements ADD COLUMN check_at BIGINT`,
  sql`CREATE INDEX settlements_checks ON settlements (check_at, deposit) WHERE check_at IS NOT NULL`,
  sql`ALTER TABLE deposits ADD COLUMN has_settlement BIGINT`,
  sql`UPDATE deposits SET has_settlement = 1
      WHERE state IN ('filled', 'refunded') AND EXISTS (SELECT 1 FROM settlements WHERE deposit = deposits.onchain_id)`,
  // Nearly always empty: contains what a worker of an earlier version closed.
  sql`CREATE INDEX deposits_without_settlement ON deposits (onchain_id) WHERE state IN ('filled', 'refunded') AND has_settlement IS NULL`
])
