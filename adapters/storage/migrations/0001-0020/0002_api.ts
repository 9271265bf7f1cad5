/** Tables of the API: pauses and stored answers of idempotent requests. Also finds the transfer of a transaction. */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE TABLE pauses (
    id TEXT NOT NULL PRIMARY KEY,
    scope TEXT NOT NULL,
    reason TEXT NOT NULL,
    created_at BIGINT NOT NULL
  )`,
  sql`CREATE TABLE idempotent_answers (
    scope TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    claimed_at BIGINT NOT NULL,
    status BIGINT,
    body TEXT,
    PRIMARY KEY (scope, idempotency_key)
  )`,
  sql`CREATE INDEX idempotent_answers_by_age ON idempotent_answers (claimed_at)`,
  sql`CREATE INDEX deposits_by_transaction ON deposits (transaction_id)`,
  sql`CREATE INDEX payments_by_transaction ON payments (transaction_id)`
])
