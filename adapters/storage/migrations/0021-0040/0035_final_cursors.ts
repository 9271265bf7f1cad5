/**
 * How far a chain's final blocks were looked at again, by several endpoints (`DepositWatcher.scanFinal`). Stores of
 * before begin at their cursor: nodes may not have what is older any more.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`ALTER TABLE cursors ADD COLUMN final_height TEXT`,
  sql`ALTER TABLE cursors ADD COLUMN final_hash TEXT`,
  sql`UPDATE cursors SET final_height = height, final_hash = hash`
])
