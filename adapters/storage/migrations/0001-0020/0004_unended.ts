/** An index of requests with a deposit that have not ended: few of all requests, and read every few seconds. */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE INDEX transfers_unended ON transfers (updated_at) WHERE status IN ('depositing', 'pending', 'submitted', 'delayed')`
])
