/**
 * Deposit addresses whose quote was dropped because it was never paid. Only their row in `deposit_addresses` remains,
 * and it cannot be deleted while it is named here.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE TABLE dropped_addresses (
    address TEXT NOT NULL PRIMARY KEY REFERENCES deposit_addresses (address),
    dropped_at BIGINT NOT NULL
  )`,
  // Finds quotes to drop without reading all transfers.
  sql`CREATE INDEX transfers_unpaid_addresses ON transfers (quoted_at, id) WHERE status = 'waiting' AND deposit_address IS NOT NULL`
])
