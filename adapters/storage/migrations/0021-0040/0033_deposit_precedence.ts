/**
 * The precedence among many open deposits of one order. Deposits from before this migration come last; their fillings
 * were started long ago.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`ALTER TABLE deposits ADD COLUMN precedence TEXT NOT NULL DEFAULT ''`,
  sql`CREATE INDEX deposits_open ON deposits (state, deposit_id, precedence DESC, seen_at, onchain_id, sighting) WHERE state = 'open'`
])
