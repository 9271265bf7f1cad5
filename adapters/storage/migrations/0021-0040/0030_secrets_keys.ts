/**
 * The keys with which the store's secrets are sealed. A process with another key must not start, even while nothing is
 * sealed yet.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE TABLE secrets_keys (
    key_id TEXT NOT NULL PRIMARY KEY,
    since BIGINT NOT NULL
  )`
])
