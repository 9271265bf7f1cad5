/**
 * What each sponsor owes to each recipient of app fees: one row for each pair and currency, computed from the existing
 * ledger entries.
 */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE TABLE debts (
    wallet TEXT NOT NULL,
    recipient TEXT NOT NULL,
    chain_id BIGINT NOT NULL,
    currency TEXT NOT NULL,
    units TEXT NOT NULL,
    PRIMARY KEY (wallet, recipient, chain_id, currency),
    CHECK (units NOT LIKE '-%')
  )`,
  // Each movement belongs to one sponsor. Before this migration every owed app fee was booked, and none was paid. In
  // millionths of a dollar.
  sql`INSERT INTO debts (wallet, recipient, chain_id, currency, units)
      SELECT substr(sponsor.account, 12), substr(pending.account, 15), pending.chain_id, pending.currency,
        CAST(SUM(CAST(pending.units AS BIGINT)) AS TEXT)
      FROM ledger_entries sponsor JOIN ledger_entries pending
        ON pending.transaction_id = sponsor.transaction_id AND pending.chain_id = sponsor.chain_id AND pending.currency = sponsor.currency
      WHERE sponsor.account LIKE 'Receivable:%' AND pending.account LIKE 'AppFeePending:%'
      GROUP BY substr(sponsor.account, 12), substr(pending.account, 15), pending.chain_id, pending.currency`
])
