/** Permits to be submitted: an order has at most one that is queued or done, besides those that are void. */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE TABLE permit_submissions (
    id TEXT NOT NULL PRIMARY KEY,
    order_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    chain_id BIGINT NOT NULL,
    signature TEXT NOT NULL,
    state TEXT NOT NULL,
    round BIGINT NOT NULL,
    queued_at BIGINT NOT NULL,
    ended_at BIGINT,
    UNIQUE (order_id, number)
  )`,
  sql`CREATE UNIQUE INDEX permit_submissions_standing ON permit_submissions (order_id) WHERE state <> 'void'`,
  sql`CREATE INDEX permit_submissions_open ON permit_submissions (queued_at, id) WHERE state = 'queued'`
])
