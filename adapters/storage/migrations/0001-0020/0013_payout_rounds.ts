/** Rounds of payouts: one whose payment was lost in a reorg is paid in another round. */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`ALTER TABLE payouts ADD COLUMN round BIGINT NOT NULL DEFAULT 0`
])
