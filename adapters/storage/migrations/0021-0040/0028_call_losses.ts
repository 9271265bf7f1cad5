/** The actual or possible cost of reverted calls of the last days, and the row that is locked while it is summed. */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE TABLE call_losses (
    order_id TEXT NOT NULL PRIMARY KEY,
    sender TEXT NOT NULL,
    usd_micros TEXT NOT NULL,
    counted_at BIGINT NOT NULL
  )`,
  sql`CREATE INDEX call_losses_by_time ON call_losses (counted_at)`,
  sql`CREATE TABLE call_loss_lock (
    id BIGINT NOT NULL PRIMARY KEY,
    taken BIGINT NOT NULL
  )`
])
