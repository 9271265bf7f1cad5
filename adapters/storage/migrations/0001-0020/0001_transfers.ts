/**
 * Transfers and their events, deposits with the scanning cursors, and payments with the sequences of their accounts.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE TABLE transfers (
    id TEXT NOT NULL PRIMARY KEY,
    order_id TEXT NOT NULL UNIQUE,
    order_json TEXT NOT NULL,
    order_signature TEXT NOT NULL,
    terms TEXT NOT NULL,
    quote TEXT NOT NULL,
    quoted_at BIGINT NOT NULL,
    status TEXT NOT NULL,
    fail_reason TEXT,
    updated_at BIGINT NOT NULL
  )`,
  sql`CREATE TABLE transfer_events (
    transfer_id TEXT NOT NULL REFERENCES transfers (id),
    sequence BIGINT NOT NULL,
    status TEXT NOT NULL,
    fail_reason TEXT,
    at BIGINT NOT NULL,
    PRIMARY KEY (transfer_id, sequence)
  )`,
  sql`CREATE TABLE deposits (
    onchain_id TEXT NOT NULL PRIMARY KEY,
    chain_id BIGINT NOT NULL,
    transaction_id TEXT NOT NULL,
    deposit_id TEXT NOT NULL,
    deposit TEXT NOT NULL,
    block_hash TEXT NOT NULL,
    sighting BIGINT NOT NULL,
    state TEXT NOT NULL,
    seen_at BIGINT NOT NULL
  )`,
  sql`CREATE INDEX deposits_by_state ON deposits (state, seen_at)`,
  sql`CREATE INDEX deposits_by_order ON deposits (deposit_id)`,
  sql`CREATE TABLE cursors (
    chain_id BIGINT NOT NULL PRIMARY KEY,
    height TEXT NOT NULL,
    hash TEXT NOT NULL
  )`,
  sql`CREATE TABLE account_sequences (
    chain_id BIGINT NOT NULL,
    account TEXT NOT NULL,
    next TEXT NOT NULL,
    PRIMARY KEY (chain_id, account)
  )`,
  sql`CREATE TABLE payments (
    order_id TEXT NOT NULL,
    leg TEXT NOT NULL,
    deposit TEXT NOT NULL,
    chain_id BIGINT NOT NULL,
    account TEXT NOT NULL,
    sequence TEXT NOT NULL,
    recipient TEXT NOT NULL,
    currency TEXT NOT NULL,
    amount TEXT NOT NULL,
    native_cost TEXT NOT NULL,
    transaction_id TEXT NOT NULL,
    raw TEXT NOT NULL,
    state TEXT NOT NULL,
    signed_at BIGINT NOT NULL,
    block TEXT,
    gas_paid TEXT,
    PRIMARY KEY (order_id, leg),
    UNIQUE (chain_id, account, sequence)
  )`,
  sql`CREATE INDEX payments_by_state ON payments (chain_id, account, state)`
])
