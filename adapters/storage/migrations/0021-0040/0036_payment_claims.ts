/**
 * What payments claim (`PaymentClaim`): on a chain of unspent outputs, the coins that they spend. A payment is named by
 * its account and sequence, so all of its variants hold the same claims. The key makes a claim exclusive.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE TABLE payment_claims (
    chain_id BIGINT NOT NULL,
    claim TEXT NOT NULL,
    account TEXT NOT NULL,
    sequence TEXT NOT NULL,
    PRIMARY KEY (chain_id, claim)
  )`,
  sql`CREATE INDEX payment_claims_of ON payment_claims (chain_id, account, sequence)`
])
