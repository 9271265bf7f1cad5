/** Budgets of keys and their spending; the hold of each sponsored request, its claimants, and how it ended. */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE TABLE key_budgets (
    key_id TEXT NOT NULL PRIMARY KEY REFERENCES api_keys (id),
    total TEXT,
    per_day TEXT,
    per_recipient_per_day TEXT
  )`,
  sql`CREATE TABLE budget_spent (
    key_id TEXT NOT NULL REFERENCES api_keys (id),
    scope TEXT NOT NULL,
    spent TEXT NOT NULL,
    PRIMARY KEY (key_id, scope),
    CHECK (spent NOT LIKE '-%')
  )`,
  sql`CREATE TABLE sponsor_holds (
    request_id TEXT NOT NULL PRIMARY KEY,
    state TEXT NOT NULL,
    round BIGINT NOT NULL,
    key_id TEXT,
    wallet TEXT,
    recipient TEXT,
    currency TEXT,
    held TEXT NOT NULL,
    held_at BIGINT NOT NULL
  )`,
  sql`CREATE TABLE sponsor_claims (
    request_id TEXT NOT NULL,
    claimant TEXT NOT NULL,
    PRIMARY KEY (request_id, claimant)
  )`,
  sql`CREATE TABLE sponsor_charges (
    request_id TEXT NOT NULL,
    amount_out TEXT NOT NULL,
    charge TEXT NOT NULL,
    PRIMARY KEY (request_id, amount_out)
  )`,
  sql`CREATE TABLE sponsor_settlements (
    request_id TEXT NOT NULL PRIMARY KEY,
    charge TEXT NOT NULL,
    gas_paid TEXT NOT NULL,
    captured TEXT NOT NULL,
    settled_at BIGINT NOT NULL
  )`
])
