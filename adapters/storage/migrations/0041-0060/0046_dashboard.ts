/** Sessions of the dashboard, the wallets that own keys, and what a wallet's balance paid for. */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`ALTER TABLE api_keys ADD COLUMN owner TEXT`,
  sql`CREATE INDEX api_keys_by_owner ON api_keys (owner) WHERE owner IS NOT NULL`,
  sql`CREATE INDEX sponsor_holds_by_wallet ON sponsor_holds (wallet, held_at) WHERE wallet IS NOT NULL`,
  sql`CREATE TABLE dashboard_sessions (
    hash TEXT NOT NULL PRIMARY KEY,
    subject TEXT NOT NULL,
    wallet TEXT,
    started_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  )`,
  sql`CREATE INDEX dashboard_sessions_by_subject ON dashboard_sessions (subject, started_at, hash)`,
  sql`CREATE INDEX dashboard_sessions_by_expiry ON dashboard_sessions (expires_at)`
])
