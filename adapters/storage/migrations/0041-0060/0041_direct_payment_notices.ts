/**
 * Notices of direct payments (`StoreNotices`): scanning of a chain for them begins, or one was seen. Both are rare: a
 * chain is scanned as long as any is awaited.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Migration } from "../../engine/Migrations.ts"

const triggers = [
  { name: "send_cursors_notice_insert", on: "INSERT ON send_cursors", when: undefined },
  { name: "sends_notice_seen", on: "UPDATE OF state ON sends", when: "NEW.state = 'seen' AND OLD.state <> 'seen'" }
] as const

export const migration: Migration = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.forEach(
    sql.onDialectOrElse({
      pg: () =>
        triggers.map(({ name, on, when }) =>
          sql`CREATE TRIGGER ${sql(name)} AFTER ${sql.literal(on)} FOR EACH ROW ${
            sql.literal(when === undefined ? "" : `WHEN (${when})`)
          } EXECUTE FUNCTION store_notice('direct-payments')`
        ),
      orElse: () => [
        sql`INSERT INTO store_notices ${sql.insert({ topic: "direct-payments", changes: 0 })}`,
        ...triggers.map(({ name, on, when }) =>
          sql`CREATE TRIGGER ${sql(name)} AFTER ${sql.literal(on)} FOR EACH ROW ${
            sql.literal(when === undefined ? "" : `WHEN ${when}`)
          } BEGIN UPDATE store_notices SET changes = changes + 1 WHERE topic = 'direct-payments'; END`
        )
      ]
    }),
    (statement) => statement,
    { discard: true }
  ))
