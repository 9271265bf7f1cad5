/**
 * Deposit addresses whose quote was dropped because nobody had paid: what is left of them is their row in
 * `deposit_addresses`, which cannot be deleted while it is named here.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE TABLE dropped_addresses (
    address TEXT NOT NULL PRIMARY KEY REFERENCES deposit_addresses (address),
    dropped_at BIGINT NOT NULL
  )`,
  // What may be dropped is found without reading all that ever was quoted.
  sql`CREATE INDEX transfers_unpaid_addresses ON transfers (quoted_at, id) WHERE status = 'waiting' AND deposit_address IS NOT NULL`
])
