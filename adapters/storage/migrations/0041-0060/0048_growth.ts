/**
 * Indexes of what is under way, which is little beside what has ended. Without them each payment that is signed read all
 * payments of its chain, and each look at the submissions to the hub read all submissions ever made.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE INDEX payments_in_flight ON payments (chain_id, account, signed_at) WHERE state IN ('signed', 'sent')`,
  sql`CREATE INDEX submissions_open ON submissions (created_at, id) WHERE state = 'open'`
])
