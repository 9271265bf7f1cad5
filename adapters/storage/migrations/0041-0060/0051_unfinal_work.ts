/**
 * Sweeps and permits that are done and not known to be final: those without an end. Releases before this one noted the
 * end when a block had them, so theirs count as final.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE INDEX sweeps_unfinal ON sweeps (queued_at, id) WHERE state = 'done' AND ended_at IS NULL`,
  sql`CREATE INDEX permit_submissions_unfinal ON permit_submissions (queued_at, id)
      WHERE state = 'done' AND ended_at IS NULL`
])
