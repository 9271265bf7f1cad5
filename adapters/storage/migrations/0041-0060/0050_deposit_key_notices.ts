/**
 * Notices of the stock of deposit addresses (`StoreNotices`): one in sixteen of those that are taken or dropped tells
 * that it has to be filled up. NOTIFY makes commits wait for each other, so not each of them does.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Migration } from "../../engine/Migrations.ts"

const triggers = [
  { name: "deposit_keys_notice_taken", on: "UPDATE OF order_id", when: "NEW.number % 16 = 0" },
  { name: "deposit_keys_notice_dropped", on: "DELETE", when: "OLD.number % 16 = 0" }
] as const

export const migration: Migration = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.forEach(
    sql.onDialectOrElse({
      pg: () =>
        triggers.map(({ name, on, when }) =>
          sql`CREATE TRIGGER ${sql(name)} AFTER ${sql.literal(on)} ON deposit_keys FOR EACH ROW WHEN (${
            sql.literal(when)
          }) EXECUTE FUNCTION store_notice('deposit-keys')`
        ),
      orElse: () => [
        sql`INSERT INTO store_notices ${sql.insert({ topic: "deposit-keys", changes: 0 })}`,
        ...triggers.map(({ name, on, when }) =>
          sql`CREATE TRIGGER ${sql(name)} AFTER ${sql.literal(on)} ON deposit_keys FOR EACH ROW WHEN ${
            sql.literal(when)
          } BEGIN UPDATE store_notices SET changes = changes + 1 WHERE topic = 'deposit-keys'; END`
        )
      ]
    }),
    (statement) => statement,
    { discard: true }
  ))
