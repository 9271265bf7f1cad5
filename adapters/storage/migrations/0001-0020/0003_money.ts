/**
 * What each payment draws on, one row for each holding; inventory reserved for open requests; exposure to deposits that
 * are not final; the ledger; direct payments.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE TABLE payment_costs (
    transaction_id TEXT NOT NULL,
    holder TEXT NOT NULL,
    currency TEXT NOT NULL,
    amount TEXT NOT NULL,
    PRIMARY KEY (transaction_id, holder, currency)
  )`,
  // Before this migration every payment was made in native currency from its own account.
  sql`INSERT INTO payment_costs (transaction_id, holder, currency, amount)
      SELECT transaction_id, account, '0x0000000000000000000000000000000000000000', native_cost FROM payments
      WHERE state IN ('signed', 'sent')`,
  sql`ALTER TABLE payments DROP COLUMN native_cost`,
  sql`CREATE TABLE promises (
    order_id TEXT NOT NULL PRIMARY KEY,
    chain_id BIGINT NOT NULL,
    currency TEXT NOT NULL,
    holding TEXT NOT NULL,
    amount TEXT NOT NULL
  )`,
  sql`CREATE INDEX promises_by_currency ON promises (chain_id, currency)`,
  sql`CREATE TABLE exposures (
    onchain_id TEXT NOT NULL PRIMARY KEY,
    chain_id BIGINT NOT NULL,
    account TEXT NOT NULL,
    usd_micros TEXT NOT NULL
  )`,
  sql`CREATE INDEX exposures_by_chain ON exposures (chain_id)`,
  sql`CREATE TABLE exposure_locks (
    chain_id BIGINT NOT NULL PRIMARY KEY,
    taken BIGINT NOT NULL
  )`,
  sql`CREATE TABLE ledger_transactions (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    content TEXT NOT NULL,
    posted_at BIGINT NOT NULL
  )`,
  sql`CREATE TABLE ledger_entries (
    transaction_id TEXT NOT NULL REFERENCES ledger_transactions (id),
    account TEXT NOT NULL,
    chain_id BIGINT NOT NULL,
    currency TEXT NOT NULL,
    units TEXT NOT NULL,
    PRIMARY KEY (transaction_id, account, chain_id, currency)
  )`,
  sql`CREATE INDEX ledger_entries_by_account ON ledger_entries (account)`,
  sql`CREATE TABLE ledger_accounts (
    account TEXT NOT NULL,
    chain_id BIGINT NOT NULL,
    currency TEXT NOT NULL,
    side TEXT NOT NULL,
    detail TEXT NOT NULL,
    balance TEXT NOT NULL,
    PRIMARY KEY (account, chain_id, currency),
    CHECK (balance = '0' OR (side = 'above' AND balance NOT LIKE '-%') OR (side = 'below' AND balance LIKE '-%'))
  )`,
  sql`CREATE TABLE sends (
    order_id TEXT NOT NULL PRIMARY KEY,
    chain_id BIGINT NOT NULL,
    quoted_at BIGINT NOT NULL,
    state TEXT NOT NULL,
    transaction_id TEXT,
    block TEXT
  )`,
  sql`CREATE INDEX sends_by_state ON sends (chain_id, state, quoted_at)`,
  sql`CREATE INDEX sends_by_transaction ON sends (transaction_id)`,
  sql`CREATE TABLE send_cursors (
    chain_id BIGINT NOT NULL PRIMARY KEY,
    height TEXT NOT NULL,
    hash TEXT NOT NULL
  )`
])
