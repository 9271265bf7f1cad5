/**
 * The request that has the sponsorship of an open deposit address, and the most that a key lets the address's later
 * deposits draw per day.
 *
 * Addresses whose own request has an open or settled hold have used their sponsorship. This migration records that, so
 * they are not sponsored a second time.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`ALTER TABLE key_budgets ADD COLUMN later_per_address_per_day TEXT`,
  sql`CREATE TABLE address_sponsorships (
    address TEXT NOT NULL PRIMARY KEY,
    request_id TEXT NOT NULL
  )`,
  // The address that the hold is for, and what of the hold counts against the budget of that address: nothing when it
  // is the address's own sponsorship.
  sql`ALTER TABLE sponsor_holds ADD COLUMN address TEXT`,
  sql`ALTER TABLE sponsor_holds ADD COLUMN later TEXT`,
  sql`INSERT INTO address_sponsorships (address, request_id)
    SELECT a.address, a.request_id FROM deposit_addresses a JOIN sponsor_holds h ON h.request_id = a.request_id
    WHERE a.mode = 'open' AND h.state IN ('open', 'settled')`,
  sql`UPDATE sponsor_holds SET address = (SELECT s.address FROM address_sponsorships s WHERE s.request_id = sponsor_holds.request_id)
    WHERE request_id IN (SELECT request_id FROM address_sponsorships)`
])
