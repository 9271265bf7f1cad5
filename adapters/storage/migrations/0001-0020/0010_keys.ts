/**
 * A key's text from before its last rotation, which stays valid for a while; and the messages that wallets are asked to
 * sign.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`ALTER TABLE api_keys ADD COLUMN previous_hash TEXT`,
  sql`ALTER TABLE api_keys ADD COLUMN previous_until BIGINT`,
  sql`CREATE INDEX api_keys_by_previous_hash ON api_keys (previous_hash) WHERE previous_hash IS NOT NULL`,
  sql`CREATE INDEX api_keys_by_wallet ON api_keys (wallet) WHERE wallet IS NOT NULL`,
  sql`CREATE TABLE wallet_challenges (
    nonce TEXT NOT NULL PRIMARY KEY,
    action TEXT NOT NULL,
    api_key_id TEXT,
    wallet TEXT NOT NULL,
    issued_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
  )`,
  sql`CREATE INDEX wallet_challenges_by_expiry ON wallet_challenges (expires_at)`
])
