/**
 * Deposit addresses, the requests made for them, the times of their reindexes, and the sweeps of what arrived there.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  // An address is computed from one order, so it is the same address on every chain on which it is paid.
  sql`CREATE TABLE deposit_addresses (
    address TEXT NOT NULL PRIMARY KEY,
    chain_id BIGINT NOT NULL,
    mode TEXT NOT NULL,
    request_id TEXT NOT NULL,
    order_id TEXT NOT NULL,
    depositor TEXT NOT NULL,
    currency TEXT NOT NULL,
    refund_to TEXT,
    api_key_id TEXT,
    created_at BIGINT NOT NULL,
    touched_at BIGINT NOT NULL
  )`,
  sql`CREATE INDEX deposit_addresses_recent ON deposit_addresses (chain_id, touched_at, address)`,
  // Neither a request that names an address nor that address can be deleted.
  sql`CREATE TABLE deposit_address_requests (
    request_id TEXT NOT NULL PRIMARY KEY REFERENCES transfers (id),
    address TEXT NOT NULL REFERENCES deposit_addresses (address),
    chain_id BIGINT NOT NULL
  )`,
  sql`CREATE INDEX deposit_address_requests_by_address ON deposit_address_requests (address, request_id)`,
  sql`CREATE TABLE deposit_address_reindexes (
    chain_id BIGINT NOT NULL,
    address TEXT NOT NULL,
    target_chain_id BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    PRIMARY KEY (chain_id, address, target_chain_id)
  )`,
  sql`CREATE TABLE sweeps (
    id TEXT NOT NULL PRIMARY KEY,
    chain_id BIGINT NOT NULL,
    address TEXT NOT NULL,
    currency TEXT NOT NULL,
    number BIGINT NOT NULL,
    order_id TEXT NOT NULL,
    depositor TEXT NOT NULL,
    deposit_id TEXT,
    units TEXT NOT NULL,
    state TEXT NOT NULL,
    height TEXT,
    round BIGINT NOT NULL,
    queued_at BIGINT NOT NULL,
    ended_at BIGINT,
    UNIQUE (chain_id, address, currency, number)
  )`,
  // Only for the first round: a reorg may undo several sweeps of one address, and each has a transaction to make again.
  sql`CREATE UNIQUE INDEX sweeps_queued ON sweeps (chain_id, address, currency) WHERE state = 'queued' AND round = 0`,
  sql`CREATE INDEX sweeps_open ON sweeps (queued_at, id) WHERE state = 'queued'`,
  sql`CREATE INDEX sweeps_by_address ON sweeps (address, queued_at, number, id)`,
  // Quotes with an address are kept, so the search for quotes to delete must not read past all of them every time.
  sql`ALTER TABLE transfers ADD COLUMN deposit_address TEXT`,
  sql`DROP INDEX transfers_unpaid`,
  sql`CREATE INDEX transfers_unpaid ON transfers (quoted_at, id) WHERE status = 'waiting' AND deposit_address IS NULL`
])
