/**
 * Since when a deposit waits to be settled, and how often in a row for one reason; refunds that the cap holds back;
 * those that an operator has decided on; and the total of unattested refunds that were signed.
 *
 * A worker of the previous version may keep running: this version does without the columns that it leaves empty.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`ALTER TABLE settlements ADD COLUMN opened_at BIGINT`,
  sql`ALTER TABLE settlements ADD COLUMN looked_reason TEXT`,
  sql`ALTER TABLE settlements ADD COLUMN looks_alike BIGINT NOT NULL DEFAULT 0`,
  sql`DROP INDEX settlements_unsettled`,
  sql`CREATE INDEX settlements_unsettled ON settlements (state, (COALESCE(opened_at, created_at))) WHERE state IN ('open', 'submitted', 'refused')`,
  sql`CREATE TABLE refunds_held (
    onchain_id TEXT NOT NULL PRIMARY KEY,
    usd_micros TEXT NOT NULL,
    held_at BIGINT NOT NULL
  )`,
  sql`CREATE TABLE refunds_allowed (
    onchain_id TEXT NOT NULL PRIMARY KEY,
    request_id TEXT NOT NULL,
    allowed_by TEXT NOT NULL,
    allowed_at BIGINT NOT NULL
  )`,
  sql`ALTER TABLE unattested_refunds ADD COLUMN signed_at BIGINT`,
  sql`CREATE TABLE unattested_totals (
    chain_id BIGINT NOT NULL PRIMARY KEY,
    usd_micros BIGINT NOT NULL
  )`,
  sql`UPDATE unattested_refunds SET signed_at = reserved_at WHERE EXISTS (
    SELECT 1 FROM deposits d JOIN payments p ON p.order_id = d.deposit_id AND p.leg = 'refund:' || d.onchain_id
    WHERE d.onchain_id = unattested_refunds.onchain_id)`,
  sql`INSERT INTO unattested_totals (chain_id, usd_micros)
    SELECT d.chain_id, CAST(SUM(CAST(u.usd_micros AS BIGINT)) AS BIGINT) FROM unattested_refunds u
    JOIN deposits d ON d.onchain_id = u.onchain_id WHERE u.signed_at IS NOT NULL GROUP BY d.chain_id`
])
