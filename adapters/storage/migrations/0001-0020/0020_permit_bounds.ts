/**
 * Bounds on what permits may cost: the owner of each, so that an owner has one in flight; the possible cost of each
 * while it is queued, and the actual cost of each that reverted. A chain's row is locked while these are summed.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`ALTER TABLE permit_submissions ADD COLUMN owner TEXT`,
  sql`ALTER TABLE permit_submissions ADD COLUMN reserved_micros TEXT`,
  sql`ALTER TABLE permit_submissions ADD COLUMN spent_micros TEXT`,
  // Only for the first round: a permit that a reorg has undone is queued again even if its owner has another one
  // queued.
  sql`CREATE UNIQUE INDEX permit_submissions_owner ON permit_submissions (chain_id, owner) WHERE state = 'queued' AND round = 0`,
  sql`CREATE INDEX permit_submissions_spent ON permit_submissions (chain_id, ended_at) WHERE state = 'void' AND spent_micros IS NOT NULL`,
  sql`CREATE TABLE permit_gas_lock (
    chain_id BIGINT NOT NULL PRIMARY KEY,
    taken BIGINT NOT NULL
  )`
])
