/** Unattested refunds of the last days, and the row that is locked while they are summed. */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE TABLE unattested_refunds (
    onchain_id TEXT NOT NULL PRIMARY KEY,
    usd_micros TEXT NOT NULL,
    reserved_at BIGINT NOT NULL
  )`,
  sql`CREATE INDEX unattested_refunds_by_time ON unattested_refunds (reserved_at)`,
  sql`CREATE TABLE unattested_refund_lock (
    id BIGINT NOT NULL PRIMARY KEY,
    taken BIGINT NOT NULL
  )`
])
