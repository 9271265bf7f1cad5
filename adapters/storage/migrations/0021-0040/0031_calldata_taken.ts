/** How much calldata was stored on a day for a key, or for all callers without a key (an empty id). */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE TABLE calldata_taken (
    day BIGINT NOT NULL,
    key_id TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    PRIMARY KEY (day, key_id)
  )`
])
