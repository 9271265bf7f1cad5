/**
 * Notices of losses by reverted calls (`StoreNotices`). A reservation gives none, and neither does its end without a loss:
 * each fill of a swap that may fall back makes both, and NOTIFY makes commits wait for each other. What changes a
 * reservation is rare: the cost of a fill that reverted, or a replacement at a higher fee.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Migration } from "../../engine/Migrations.ts"

const on = "AFTER UPDATE OF usd_micros ON call_losses FOR EACH ROW"
const when = "NEW.usd_micros <> OLD.usd_micros"

export const migration: Migration = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.forEach(
    sql.onDialectOrElse({
      pg: () => [
        sql`CREATE TRIGGER call_losses_notice ${sql.literal(`${on} WHEN (${when})`)}
          EXECUTE FUNCTION store_notice('call-losses')`
      ],
      orElse: () => [
        sql`INSERT INTO store_notices ${sql.insert({ topic: "call-losses", changes: 0 })}`,
        sql`CREATE TRIGGER call_losses_notice ${sql.literal(`${on} WHEN ${when}`)}
          BEGIN UPDATE store_notices SET changes = changes + 1 WHERE topic = 'call-losses'; END`
      ]
    }),
    (statement) => statement,
    { discard: true }
  ))
