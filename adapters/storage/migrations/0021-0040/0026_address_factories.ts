/**
 * The factory that a deposit address follows from; null in what earlier versions kept, and where addresses are keys.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [sql`ALTER TABLE deposit_addresses ADD COLUMN factory TEXT`])
