/**
 * What is needed to follow a submission by itself, whoever is configured now; slots by chain, given back once a payment
 * is in a block; what is settled is looked at again; deposits that a worker of a former version closed are found
 * without a search.
 *
 * A worker of the version before may go on: what it leaves empty is filled in by this one, or does without.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`ALTER TABLE submissions ADD COLUMN gate TEXT`,
  sql`ALTER TABLE submissions ADD COLUMN placed_at BIGINT`,
  sql`DROP INDEX submissions_slots`,
  // On its chain a slot is one submission's at a time, until that is in a block.
  sql`CREATE UNIQUE INDEX submissions_slots ON submissions (chain_id, slot) WHERE state = 'open' AND placed_at IS NULL`,
  sql`ALTER TABLE settlements ADD COLUMN settled_chain BIGINT`,
  sql`ALTER TABLE settlements ADD COLUMN settled_gate TEXT`,
  sql`ALTER TABLE settlements ADD COLUMN check_at BIGINT`,
  sql`CREATE INDEX settlements_checks ON settlements (check_at, deposit) WHERE check_at IS NOT NULL`,
  sql`ALTER TABLE deposits ADD COLUMN has_settlement BIGINT`,
  sql`UPDATE deposits SET has_settlement = 1
      WHERE state IN ('filled', 'refunded') AND EXISTS (SELECT 1 FROM settlements WHERE deposit = deposits.onchain_id)`,
  // Nearly empty at all times: what a worker of a former version closed.
  sql`CREATE INDEX deposits_without_settlement ON deposits (onchain_id) WHERE state IN ('filled', 'refunded') AND has_settlement IS NULL`
])
