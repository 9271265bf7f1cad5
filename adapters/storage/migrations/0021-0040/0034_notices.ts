/**
 * Notices of what processes wait for (`StoreNotices`): a trigger of each table names its topic, in the transaction that
 * writes. On PostgreSQL it notifies a channel; equal notifications of one transaction are sent once. On SQLite it
 * counts, and the process that owns the file compares the counts after each commit.
 *
 * NOTIFY makes commits wait for each other. So only rows notify that are rare, or new in a queue: a fill that nobody
 * follows by webhook notifies once, with the scan that found its deposit.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import type { Migration } from "../../engine/Migrations.ts"

interface Notice {
  readonly topic: string
  readonly table: string
  readonly on: "DELETE" | "INSERT" | `UPDATE OF ${string}`
  /** Of the row before (OLD) and after (NEW). */
  readonly when?: string
}

const queued = (topic: string, table: string, state: string): ReadonlyArray<Notice> => [
  { topic, table, on: "INSERT", when: `NEW.state = '${state}'` },
  // Undone by a reorg, and to be done in another round.
  { topic, table, on: "UPDATE OF state, round", when: `NEW.state = '${state}' AND NEW.round <> OLD.round` }
]

const notices: ReadonlyArray<Notice> = [
  { topic: "pauses", table: "pauses", on: "INSERT" },
  { topic: "pauses", table: "pauses", on: "DELETE" },
  { topic: "restorations", table: "restorations", on: "INSERT" },
  { topic: "restorations", table: "restorations", on: "UPDATE OF restored_at, settled_at" },
  ...queued("sweeps", "sweeps", "queued"),
  ...queued("permits", "permit_submissions", "queued"),
  ...queued("payouts", "payouts", "open"),
  { topic: "submissions", table: "submissions", on: "INSERT" },
  {
    topic: "submissions",
    table: "submissions",
    on: "UPDATE OF state",
    when: "NEW.state = 'open' AND OLD.state <> 'open'"
  },
  { topic: "deposits", table: "deposits", on: "INSERT", when: "NEW.state = 'open'" },
  {
    topic: "deposits",
    table: "deposits",
    on: "UPDATE OF sighting",
    when: "NEW.state = 'open' AND NEW.sighting <> OLD.sighting"
  },
  { topic: "webhooks", table: "webhook_deliveries", on: "INSERT" }
]

/** Few deposits of one order are filled at a time, so the end of one lets another begin. */
const ended = "OLD.state = 'open' AND NEW.state <> 'open'"
const another = "EXISTS (SELECT 1 FROM deposits WHERE state = 'open' AND deposit_id = NEW.deposit_id)"

const nameOf = ({ on, table }: Notice) => `${table}_notice_${on.toLowerCase().replaceAll(/[^a-z]+/g, "_")}`

const onPostgres = (sql: SqlClient.SqlClient): ReadonlyArray<Statement.Statement<unknown>> => [
  sql`CREATE FUNCTION store_notice() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_notify('causeway_store', TG_ARGV[0]); RETURN NULL; END $$`,
  sql`CREATE FUNCTION store_notice_next() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF ${sql.literal(another)} THEN PERFORM pg_notify('causeway_store', 'deposits'); END IF;
      RETURN NULL;
    END $$`,
  ...notices.map((notice) =>
    sql`CREATE TRIGGER ${sql(nameOf(notice))} AFTER ${sql.literal(notice.on)} ON ${sql(notice.table)} FOR EACH ROW ${
      sql.literal(notice.when === undefined ? "" : `WHEN (${notice.when})`)
    } EXECUTE FUNCTION store_notice(${sql.literal(`'${notice.topic}'`)})`
  ),
  sql`CREATE TRIGGER deposits_notice_next AFTER UPDATE OF state ON deposits FOR EACH ROW
    WHEN (${sql.literal(ended)}) EXECUTE FUNCTION store_notice_next()`
]

const onSqlite = (sql: SqlClient.SqlClient): ReadonlyArray<Statement.Statement<unknown>> => {
  const counted = (topic: string) =>
    sql`UPDATE store_notices SET changes = changes + 1 WHERE topic = ${sql.literal(`'${topic}'`)}`
  return [
    sql`CREATE TABLE store_notices (topic TEXT NOT NULL PRIMARY KEY, changes BIGINT NOT NULL)`,
    ...[...new Set(notices.map(({ topic }) => topic))].map((topic) =>
      sql`INSERT INTO store_notices ${sql.insert({ topic, changes: 0 })}`
    ),
    ...notices.map((notice) =>
      sql`CREATE TRIGGER ${sql(nameOf(notice))} AFTER ${sql.literal(notice.on)} ON ${sql(notice.table)} FOR EACH ROW ${
        sql.literal(notice.when === undefined ? "" : `WHEN ${notice.when}`)
      } BEGIN ${counted(notice.topic)}; END`
    ),
    sql`CREATE TRIGGER deposits_notice_next AFTER UPDATE OF state ON deposits FOR EACH ROW
      WHEN ${sql.literal(`${ended} AND ${another}`)} BEGIN ${counted("deposits")}; END`
  ]
}

export const migration: Migration = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.forEach(
    sql.onDialectOrElse({ pg: () => onPostgres(sql), orElse: () => onSqlite(sql) }),
    (statement) => statement,
    { discard: true }
  ))
