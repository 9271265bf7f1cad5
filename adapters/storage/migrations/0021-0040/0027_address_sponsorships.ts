/**
 * Who has the sponsorship of an open deposit address, and what a key lets the address's later deposits draw a day.
 *
 * Addresses whose own request holds or has ended a sponsorship already have used it: no release sponsors them once
 * more.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`ALTER TABLE key_budgets ADD COLUMN later_per_address_per_day TEXT`,
  sql`CREATE TABLE address_sponsorships (
    address TEXT NOT NULL PRIMARY KEY,
    request_id TEXT NOT NULL
  )`,
  // Where the money is held for, and what of it counts against the budget of an address: nothing of the address's own
  // sponsorship.
  sql`ALTER TABLE sponsor_holds ADD COLUMN address TEXT`,
  sql`ALTER TABLE sponsor_holds ADD COLUMN later TEXT`,
  sql`INSERT INTO address_sponsorships (address, request_id)
    SELECT a.address, a.request_id FROM deposit_addresses a JOIN sponsor_holds h ON h.request_id = a.request_id
    WHERE a.mode = 'open' AND h.state IN ('open', 'settled')`,
  sql`UPDATE sponsor_holds SET address = (SELECT s.address FROM address_sponsorships s WHERE s.request_id = sponsor_holds.request_id)
    WHERE request_id IN (SELECT request_id FROM address_sponsorships)`
])
