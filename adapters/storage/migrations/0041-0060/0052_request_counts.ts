/**
 * Requests of each key by day and state, and what was captured for them, counted by triggers in the transaction that
 * writes (HISTORY-4): a summary reads the counts and not the requests.
 *
 * On PostgreSQL a count is the sum of its parts. A transaction writes to a part that no other open transaction writes
 * to, which an advisory lock tells that is only tried. So requests of one key never wait for each other, and no two
 * transactions can wait in a circle.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import type { Migration } from "../../engine/Migrations.ts"

const DAY_MS = 86_400_000

/** One row's part in the counts. What was captured counts for the day alone, under no state. */
const count = (values: string): string =>
  `INSERT INTO request_counts (api_key_id, day, status, part, requests, sponsored, captured) ${values}
   ON CONFLICT (api_key_id, day, status, part) DO UPDATE SET requests = request_counts.requests + excluded.requests,
     sponsored = request_counts.sponsored + excluded.sponsored, captured = request_counts.captured + excluded.captured`

const countRequest = (row: "NEW" | "OLD", sign: "" | "-", part: string): string =>
  count(
    `VALUES (${row}.api_key_id, ${row}.quoted_at / ${DAY_MS}, ${row}.status, ${part}, ${sign}1, ${sign}${row}.sponsored, 0)`
  )

/** A capture's id contains its request: "capture:<request>:…". */
const captured = (part: string): string =>
  count(`SELECT t.api_key_id, t.quoted_at / ${DAY_MS}, '', ${part}, 0, 0, CAST(NEW.units AS BIGINT)
    FROM ledger_transactions c JOIN transfers t ON t.id = substr(c.id, 9, 66)
    WHERE c.id = NEW.transaction_id AND c.kind = 'capture' AND t.api_key_id IS NOT NULL`)

const triggers = [
  { name: "added", on: "INSERT ON transfers", when: "NEW.api_key_id IS NOT NULL" },
  {
    name: "moved",
    on: "UPDATE OF status ON transfers",
    when: "NEW.api_key_id IS NOT NULL AND NEW.status <> OLD.status"
  },
  { name: "removed", on: "DELETE ON transfers", when: "OLD.api_key_id IS NOT NULL" },
  { name: "captured", on: "INSERT ON ledger_entries", when: "NEW.account = 'Revenue'" }
] as const

const writesOf = (name: typeof triggers[number]["name"], part: (key: string, quotedAt: string) => string) => {
  const ofRow = (row: "NEW" | "OLD") => part(`${row}.api_key_id`, `${row}.quoted_at`)
  switch (name) {
    case "added":
      return [countRequest("NEW", "", ofRow("NEW"))]
    case "moved":
      return [countRequest("OLD", "-", ofRow("OLD")), countRequest("NEW", "", ofRow("NEW"))]
    case "removed":
      return [countRequest("OLD", "-", ofRow("OLD"))]
    case "captured":
      return [captured(part("t.api_key_id", "t.quoted_at"))]
  }
}

/** So many transactions of one key and day at a time before each further connection has a part of its own. */
const PARTS = 64

const onPostgres = (sql: SqlClient.SqlClient): ReadonlyArray<Statement.Statement<unknown>> => [
  sql`CREATE FUNCTION request_counts_part(counted_key TEXT, counted_day BIGINT) RETURNS BIGINT LANGUAGE plpgsql AS $$
    BEGIN
      FOR part IN 0..${sql.literal(`${PARTS - 1}`)} LOOP
        IF pg_try_advisory_xact_lock(hashtextextended(concat_ws(' ', 'request_counts', part, counted_day, counted_key), 0)) THEN
          RETURN part;
        END IF;
      END LOOP;
      RETURN ${sql.literal(`${PARTS}`)} + pg_backend_pid();
    END $$`,
  ...triggers.flatMap(({ name, on, when }) => {
    const writes = writesOf(name, (key, quotedAt) => `request_counts_part(${key}, ${quotedAt} / ${DAY_MS})`)
    return [
      sql`CREATE FUNCTION ${sql(`request_counts_${name}`)}() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN ${sql.literal(writes.join("; "))}; RETURN NULL; END $$`,
      sql`CREATE TRIGGER ${sql(`request_counts_${name}`)} AFTER ${sql.literal(on)} FOR EACH ROW
        WHEN (${sql.literal(when)}) EXECUTE FUNCTION ${sql(`request_counts_${name}`)}()`
    ]
  })
]

const onSqlite = (sql: SqlClient.SqlClient): ReadonlyArray<Statement.Statement<unknown>> =>
  triggers.map(({ name, on, when }) =>
    sql`CREATE TRIGGER ${sql(`request_counts_${name}`)} AFTER ${sql.literal(on)} FOR EACH ROW WHEN ${
      sql.literal(when)
    } BEGIN ${sql.literal(writesOf(name, () => "0").join("; "))}; END`
  )

export const migration: Migration = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.forEach(
    [
      sql`CREATE TABLE request_counts (
        api_key_id TEXT NOT NULL,
        day BIGINT NOT NULL,
        status TEXT NOT NULL,
        part BIGINT NOT NULL,
        requests BIGINT NOT NULL,
        sponsored BIGINT NOT NULL,
        captured BIGINT NOT NULL,
        PRIMARY KEY (api_key_id, day, status, part)
      )`,
      sql`INSERT INTO request_counts
        SELECT api_key_id, quoted_at / ${sql.literal(`${DAY_MS}`)}, status, 0, COUNT(*), SUM(sponsored), 0
        FROM transfers WHERE api_key_id IS NOT NULL GROUP BY 1, 2, 3`,
      sql`INSERT INTO request_counts
        SELECT t.api_key_id, t.quoted_at / ${sql.literal(`${DAY_MS}`)}, '', 0, 0, 0, SUM(CAST(e.units AS BIGINT))
        FROM ledger_transactions c JOIN transfers t ON t.id = substr(c.id, 9, 66)
        JOIN ledger_entries e ON e.transaction_id = c.id AND e.account = 'Revenue'
        WHERE c.kind = 'capture' AND t.api_key_id IS NOT NULL GROUP BY 1, 2`,
      ...sql.onDialectOrElse({ pg: () => onPostgres(sql), orElse: () => onSqlite(sql) })
    ],
    (statement) => statement,
    { discard: true }
  ))
