/**
 * What permits may cost: whose each is, so that an owner has one on its way; the most that it can cost while it is
 * queued, and what one that reverted has cost. The row of a chain is locked while that is summed.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`ALTER TABLE permit_submissions ADD COLUMN owner TEXT`,
  sql`ALTER TABLE permit_submissions ADD COLUMN reserved_micros TEXT`,
  sql`ALTER TABLE permit_submissions ADD COLUMN spent_micros TEXT`,
  // One that a reorganisation has undone is queued again whatever else its owner has.
  sql`CREATE UNIQUE INDEX permit_submissions_owner ON permit_submissions (chain_id, owner) WHERE state = 'queued' AND round = 0`,
  sql`CREATE INDEX permit_submissions_spent ON permit_submissions (chain_id, ended_at) WHERE state = 'void' AND spent_micros IS NOT NULL`,
  sql`CREATE TABLE permit_gas_lock (
    chain_id BIGINT NOT NULL PRIMARY KEY,
    taken BIGINT NOT NULL
  )`
])
