/** API keys by their hashes, and the key under which each transfer was quoted. */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE TABLE api_keys (
    id TEXT NOT NULL PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    label TEXT NOT NULL,
    wallet TEXT,
    default_cap TEXT,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
  )`,
  sql`ALTER TABLE transfers ADD COLUMN api_key_id TEXT REFERENCES api_keys (id)`,
  sql`CREATE INDEX transfers_by_key ON transfers (api_key_id, quoted_at, id) WHERE api_key_id IS NOT NULL`
])
