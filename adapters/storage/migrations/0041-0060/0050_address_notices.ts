/**
 * Notices of deposit addresses (`StoreNotices`). NOTIFY makes commits wait for each other, so not each address gives
 * one: of the stock, one in sixteen that are taken or dropped, which tells that it has to be filled up; of those that
 * are watched, the first of its chain in five minutes, because all are watched for an hour once one is.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import type { Migration } from "../../engine/Migrations.ts"

const ofStock = [
  { name: "deposit_keys_notice_taken", on: "UPDATE OF order_id", when: "NEW.number % 16 = 0" },
  { name: "deposit_keys_notice_dropped", on: "DELETE", when: "OLD.number % 16 = 0" }
] as const

const ofWatched = [
  { name: "deposit_addresses_notice_insert", on: "INSERT" },
  { name: "deposit_addresses_notice_touched", on: "UPDATE OF touched_at" }
] as const

const isFirst = `NOT EXISTS (SELECT 1 FROM deposit_addresses WHERE chain_id = NEW.chain_id
  AND touched_at >= NEW.touched_at - 300000 AND address <> NEW.address)`

const onPostgres = (sql: SqlClient.SqlClient): ReadonlyArray<Statement.Statement<unknown>> => [
  ...ofStock.map(({ name, on, when }) =>
    sql`CREATE TRIGGER ${sql(name)} AFTER ${sql.literal(on)} ON deposit_keys FOR EACH ROW WHEN (${
      sql.literal(when)
    }) EXECUTE FUNCTION store_notice('deposit-keys')`
  ),
  sql`CREATE FUNCTION store_notice_address() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF ${sql.literal(isFirst)} THEN PERFORM pg_notify('causeway_store', 'deposit-addresses'); END IF;
      RETURN NULL;
    END $$`,
  ...ofWatched.map(({ name, on }) =>
    sql`CREATE TRIGGER ${sql(name)} AFTER ${sql.literal(on)} ON deposit_addresses FOR EACH ROW
      EXECUTE FUNCTION store_notice_address()`
  )
]

const onSqlite = (sql: SqlClient.SqlClient): ReadonlyArray<Statement.Statement<unknown>> => {
  const counted = (topic: string) =>
    sql.literal(`UPDATE store_notices SET changes = changes + 1 WHERE topic = '${topic}'`)
  return [
    ...["deposit-keys", "deposit-addresses"].map((topic) =>
      sql`INSERT INTO store_notices ${sql.insert({ topic, changes: 0 })}`
    ),
    ...ofStock.map(({ name, on, when }) =>
      sql`CREATE TRIGGER ${sql(name)} AFTER ${sql.literal(on)} ON deposit_keys FOR EACH ROW WHEN ${
        sql.literal(when)
      } BEGIN ${counted("deposit-keys")}; END`
    ),
    ...ofWatched.map(({ name, on }) =>
      sql`CREATE TRIGGER ${sql(name)} AFTER ${sql.literal(on)} ON deposit_addresses FOR EACH ROW WHEN ${
        sql.literal(isFirst)
      } BEGIN ${counted("deposit-addresses")}; END`
    )
  ]
}

export const migration: Migration = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.forEach(
    sql.onDialectOrElse({ pg: () => onPostgres(sql), orElse: () => onSqlite(sql) }),
    (statement) => statement,
    { discard: true }
  ))
