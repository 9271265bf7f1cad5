/** Unpaid quotes by their age: what may be forgotten is found without reading all that ever was. */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE INDEX transfers_unpaid ON transfers (quoted_at, id) WHERE status = 'waiting'`
])
