/** An index of unpaid quotes by age, so that those to delete are found without reading all transfers. */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE INDEX transfers_unpaid ON transfers (quoted_at, id) WHERE status = 'waiting'`
])
