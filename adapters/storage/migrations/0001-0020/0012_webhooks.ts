/** Listings and sums of a key's requests; webhooks, their deliveries, and every attempt to send them. */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  // Read only for requests of a key; before this migration no key could be made.
  sql`ALTER TABLE transfers ADD COLUMN user_account TEXT`,
  sql`ALTER TABLE transfers ADD COLUMN sponsored BIGINT NOT NULL DEFAULT 0`,
  sql`CREATE INDEX transfers_by_key_status ON transfers (api_key_id, status, quoted_at, id) WHERE api_key_id IS NOT NULL`,
  sql`CREATE INDEX transfers_by_key_user ON transfers (api_key_id, user_account, quoted_at, id) WHERE api_key_id IS NOT NULL`,
  sql`CREATE INDEX transfers_by_key_sponsored ON transfers (api_key_id, sponsored, quoted_at, id) WHERE api_key_id IS NOT NULL`,
  // A capture's id contains its request: "capture:<request>:…".
  sql`CREATE INDEX ledger_captures_by_request ON ledger_transactions (substr(id, 9, 66)) WHERE kind = 'capture'`,
  sql`CREATE TABLE webhooks (
    id TEXT NOT NULL PRIMARY KEY,
    api_key_id TEXT NOT NULL REFERENCES api_keys (id),
    url TEXT NOT NULL,
    secret TEXT NOT NULL,
    previous_secret TEXT,
    previous_until BIGINT,
    low_balance TEXT,
    balance_sequence BIGINT NOT NULL,
    created_at BIGINT NOT NULL
  )`,
  sql`CREATE INDEX webhooks_by_key ON webhooks (api_key_id, created_at)`,
  sql`CREATE TABLE webhook_deliveries (
    id TEXT NOT NULL PRIMARY KEY,
    api_key_id TEXT NOT NULL,
    webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    event_id TEXT NOT NULL,
    queue TEXT NOT NULL,
    sequence BIGINT NOT NULL,
    fact TEXT NOT NULL,
    at BIGINT NOT NULL,
    body TEXT,
    state TEXT NOT NULL,
    tries BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    leased_until BIGINT NOT NULL,
    created_at BIGINT NOT NULL
  )`,
  sql`CREATE INDEX webhook_deliveries_due ON webhook_deliveries (due_at) WHERE state = 'pending'`,
  sql`CREATE INDEX webhook_deliveries_in_order ON webhook_deliveries (webhook_id, queue, sequence) WHERE state = 'pending'`,
  sql`CREATE INDEX webhook_deliveries_by_key ON webhook_deliveries (api_key_id, created_at, id)`,
  sql`CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id)`,
  sql`CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at)`,
  sql`CREATE TABLE webhook_tries (
    delivery_id TEXT NOT NULL REFERENCES webhook_deliveries (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    at BIGINT NOT NULL,
    status BIGINT,
    failure TEXT,
    latency BIGINT NOT NULL,
    PRIMARY KEY (delivery_id, number)
  )`
])
