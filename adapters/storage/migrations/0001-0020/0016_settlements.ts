/**
 * Deposits to be settled on the hub, and the submissions there. Deposits that ended before this migration are to be
 * settled too.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE TABLE settlements (
    deposit TEXT NOT NULL PRIMARY KEY,
    order_id TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    attempts BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    leased_until BIGINT NOT NULL,
    submission TEXT,
    created_at BIGINT NOT NULL,
    ended_at BIGINT
  )`,
  sql`CREATE INDEX settlements_due ON settlements (due_at, deposit) WHERE state = 'open'`,
  sql`CREATE INDEX settlements_unsettled ON settlements (state, created_at) WHERE state IN ('open', 'submitted', 'refused')`,
  sql`CREATE INDEX settlements_by_order ON settlements (order_id)`,
  sql`CREATE INDEX settlements_by_submission ON settlements (submission)`,
  sql`CREATE TABLE submissions (
    id TEXT NOT NULL PRIMARY KEY,
    chain_id BIGINT NOT NULL,
    calls TEXT NOT NULL,
    slot BIGINT NOT NULL,
    state TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    ended_at BIGINT
  )`,
  // Only one open submission can have a slot, no matter which worker takes it.
  sql`CREATE UNIQUE INDEX submissions_slots ON submissions (slot) WHERE state = 'open'`,
  sql`INSERT INTO settlements (deposit, order_id, state, attempts, failures, due_at, leased_until, created_at)
      SELECT onchain_id, deposit_id, 'open', 0, 0, 0, 0, seen_at FROM deposits WHERE state IN ('filled', 'refunded')`
])
