/** Requests with a deposit that have not ended: few among all that ever were, and looked at every few seconds. */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE INDEX transfers_unended ON transfers (updated_at) WHERE status IN ('depositing', 'pending', 'submitted', 'delayed')`
])
