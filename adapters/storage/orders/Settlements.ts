/**
 * Settlements and submissions in SQL, one text for both engines: claimed by workers for a time, submitted in a slot.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import { Settlements } from "../../../ports/store/orders/Settlements.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { Millis, SqlCount } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"
import { decodeDeposits, endedSubmissions } from "./settlements/EndedSubmissions.ts"
import { claimedSettlements } from "./settlements/ClaimedSettlements.ts"
import { submissions } from "./settlements/Submissions.ts"
import { settledDeposits } from "./settlements/SettledDeposits.ts"

const State = Schema.Literals(["open", "submitted", "settled", "refused", "excluded"])

const decodeOverdue = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  count: SqlCount,
  oldest: Schema.NullOr(Millis),
  newest: Schema.NullOr(Millis)
})))

const decodeRecorded = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  deposit: Hex32,
  state: State,
  reason: Schema.NullOr(Schema.String),
  transaction_id: Schema.NullOr(TransactionId)
})))

const decodeOpen = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  state: Schema.Literals(["open", "submitted", "refused"]),
  count: SqlCount,
  oldest: Millis
})))

/**
 * What a deposit leaves to settle once it is closed: in the transaction that closes it. One that is closed again,
 * because a reorganisation undid it, is settled again unless the hub has it: the key is the deposit's, however it was
 * paid. `closed`: the row of the deposit as it is then.
 */
export const openSettlement = (sql: SqlClient.SqlClient, closed: Statement.Fragment, at: number) =>
  sql`INSERT INTO settlements (deposit, order_id, state, attempts, failures, due_at, leased_until, created_at, opened_at)
      SELECT onchain_id, deposit_id, 'open', 0, 0, 0, 0, seen_at, CAST(${at} AS BIGINT) FROM ${closed}
      WHERE state IN ('filled', 'refunded')
      ON CONFLICT (deposit) DO UPDATE SET state = 'open', reason = NULL, attempts = 0, looks_alike = 0, failures = 0, due_at = 0, opened_at = CAST(${at} AS BIGINT)
        WHERE settlements.state IN ('refused', 'excluded')`

export const layer = Layer.effect(
  Settlements,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    /** A former version kept only when the deposit was seen. */
    const openedAt = sql.literal("COALESCE(opened_at, created_at)")

    const adopt: Settlements["Service"]["adopt"] = (limit, at) =>
      sql.withTransaction(Effect.gen(function*() {
        const found = yield* sql`UPDATE deposits SET has_settlement = 1
          WHERE onchain_id IN (SELECT onchain_id FROM deposits
              WHERE state IN ('filled', 'refunded') AND has_settlement IS NULL ORDER BY onchain_id LIMIT ${limit})
            AND state IN ('filled', 'refunded')
          RETURNING onchain_id AS deposit`
        const deposits = (yield* decodeDeposits(found)).map(({ deposit }) => deposit)
        if (deposits.length === 0) return 0
        const opened =
          yield* sql`INSERT INTO settlements (deposit, order_id, state, attempts, failures, due_at, leased_until, created_at, opened_at)
          SELECT onchain_id, deposit_id, 'open', 0, 0, 0, 0, seen_at, CAST(${at} AS BIGINT) FROM deposits WHERE ${
            sql.in("onchain_id", deposits)
          }
          ON CONFLICT (deposit) DO NOTHING RETURNING deposit`
        return opened.length
      })).pipe(storeCall("Settlements.adopt"))

    const overdue: Settlements["Service"]["overdue"] = (after, upTo) =>
      sql`SELECT COUNT(*) AS count, MIN(${openedAt}) AS oldest, MAX(${openedAt}) AS newest FROM settlements
          WHERE state IN ('open', 'submitted') AND ${openedAt} > ${after} AND ${openedAt} <= ${upTo}`.pipe(
        Effect.flatMap(decodeOverdue),
        Effect.map(([row]) =>
          row === undefined || row.oldest === null || row.newest === null
            ? undefined
            : { count: row.count, oldest: row.oldest, newest: row.newest }
        ),
        storeCall("Settlements.overdue")
      )

    const retry: Settlements["Service"]["retry"] = (orderId, at) =>
      sql`UPDATE settlements SET state = 'open', reason = NULL, attempts = 0, looks_alike = 0, failures = 0, due_at = ${at}, opened_at = ${at}, leased_until = 0, ended_at = NULL
          WHERE order_id = ${orderId} AND state = 'refused' RETURNING deposit`.pipe(
        Effect.map((reopened) => reopened.length),
        storeCall("Settlements.retry")
      )

    const ofOrder: Settlements["Service"]["ofOrder"] = (orderId) =>
      sql`SELECT s.deposit, s.state, s.reason, p.transaction_id FROM settlements s
          LEFT JOIN payments p ON p.order_id = s.submission AND p.leg = 'settlement' AND p.state <> 'void'
          WHERE s.order_id = ${orderId} ORDER BY s.created_at, s.deposit`.pipe(
        Effect.flatMap(decodeRecorded),
        Effect.map((rows) => rows.map(({ transaction_id, ...row }) => ({ ...row, transactionId: transaction_id }))),
        storeCall("Settlements.ofOrder")
      )

    const open = sql`SELECT state, COUNT(*) AS count, MIN(${openedAt}) AS oldest FROM settlements
        WHERE state IN ('open', 'submitted', 'refused') GROUP BY state ORDER BY state`.pipe(
      Effect.flatMap(decodeOpen),
      storeCall("Settlements.open")
    )

    return Settlements.of({
      ...claimedSettlements(sql),
      ...submissions(sql),
      ...endedSubmissions(sql),
      ...settledDeposits(sql),
      adopt,
      overdue,
      retry,
      ofOrder,
      open
    })
  })
)
