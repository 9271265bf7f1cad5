/**
 * Arrivals at the solver that credit app balances; payouts of balances and app fees; the owner of each ledger account
 * and entry.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE TABLE credit_cursors (
    chain_id BIGINT NOT NULL PRIMARY KEY,
    height TEXT NOT NULL,
    hash TEXT NOT NULL
  )`,
  // One credit for each transaction, even when a reorg moves it to another block.
  sql`CREATE TABLE credits (
    chain_id BIGINT NOT NULL,
    transaction_id TEXT NOT NULL,
    sender TEXT NOT NULL,
    block TEXT NOT NULL,
    amount TEXT NOT NULL,
    wallet TEXT,
    reason TEXT,
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (chain_id, transaction_id)
  )`,
  sql`CREATE INDEX credits_by_time ON credits (chain_id, seen_at)`,
  sql`CREATE TABLE payouts (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    wallet TEXT NOT NULL,
    recipient TEXT NOT NULL,
    chain_id BIGINT NOT NULL,
    currency TEXT NOT NULL,
    amount TEXT NOT NULL,
    nonce TEXT NOT NULL,
    paid_chain_id BIGINT NOT NULL,
    paid_currency TEXT NOT NULL,
    paid_amount TEXT NOT NULL,
    state TEXT NOT NULL,
    asked_at BIGINT NOT NULL,
    ended_at BIGINT,
    UNIQUE (kind, wallet, nonce)
  )`,
  sql`CREATE INDEX payouts_open ON payouts (asked_at) WHERE state = 'open'`,
  sql`CREATE INDEX payouts_by_wallet ON payouts (wallet, asked_at)`,
  sql`ALTER TABLE ledger_accounts ADD COLUMN owner TEXT`,
  // Before this migration only app fees of recipients were booked.
  sql`UPDATE ledger_accounts SET owner = substr(account, 15) WHERE account LIKE 'AppFeePayable:%'`,
  sql`CREATE INDEX ledger_accounts_by_owner ON ledger_accounts (owner) WHERE balance <> '0'`,
  sql`ALTER TABLE ledger_entries ADD COLUMN owner TEXT`,
  sql`ALTER TABLE ledger_entries ADD COLUMN posted_at BIGINT NOT NULL DEFAULT 0`,
  sql`UPDATE ledger_entries SET owner = substr(account, 15) WHERE account LIKE 'AppFeePayable:%'`,
  sql`UPDATE ledger_entries SET posted_at =
      (SELECT posted_at FROM ledger_transactions WHERE ledger_transactions.id = ledger_entries.transaction_id)`,
  sql`CREATE INDEX ledger_entries_by_owner ON ledger_entries (owner, posted_at, transaction_id)`
])
