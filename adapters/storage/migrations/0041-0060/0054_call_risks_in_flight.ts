/**
 * What of a call loss has not happened yet (`RiskInFlight`). NULL: it has happened. Rows that are there already count as
 * if they had, until their fills end.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [sql`ALTER TABLE call_losses ADD COLUMN in_flight TEXT`])
