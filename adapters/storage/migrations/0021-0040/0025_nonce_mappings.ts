/** Nonce mappings of exchange A: the first for a chain, wallet and nonce is the only one. */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE TABLE nonce_mappings (
    chain TEXT NOT NULL,
    wallet TEXT NOT NULL,
    nonce TEXT NOT NULL,
    order_id TEXT NOT NULL,
    signature_chain_id BIGINT NOT NULL,
    signature TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (chain, wallet, nonce)
  )`
])
