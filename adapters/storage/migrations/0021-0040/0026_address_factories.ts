/**
 * The factory that a deposit address is computed from; null in rows of earlier versions, and where addresses are keys.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [sql`ALTER TABLE deposit_addresses ADD COLUMN factory TEXT`])
