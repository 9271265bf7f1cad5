/**
 * Permit submissions in SQL, one text for both engines. Three unique indexes decide which one is queued: by number, by
 * the order's queued or done submission, and by the owner's queued one. A chain's row is locked while the cost of its
 * permits is summed, so that two queued at once see each other.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { PermitSubmissions, REVERTED_PERMITS_WINDOW_MS } from "../../../ports/store/orders/PermitSubmissions.ts"
import type { NewPermitSubmission, PermitSubmission } from "../../../ports/store/orders/PermitSubmissions.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Hex, Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { Millis, SqlInt, UintText } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"
import { queuedWork } from "./payments/QueuedWork.ts"

const Row = Schema.Struct({
  id: Hex32,
  order_id: OrderId,
  number: SqlInt,
  chain_id: SqlInt.pipe(Schema.decodeTo(ChainId)),
  signature: Hex,
  state: Schema.Literals(["queued", "done", "void"]),
  round: SqlInt,
  queued_at: Millis
})

const NewRow = Schema.Struct({ ...Row.fields, owner: Address, reserved_micros: UintText })

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
const decodeGas = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ gas_paid: Schema.NullOr(UintText) })))
const decodeTotal = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ total: UintText })]))
const encodeRow = Schema.encodeEffect(NewRow)

const toSubmission = (row: typeof Row.Type): PermitSubmission => ({
  id: row.id,
  orderId: row.order_id,
  number: row.number,
  chainId: row.chain_id,
  signature: row.signature,
  state: row.state,
  round: row.round,
  queuedAt: row.queued_at
})

const toRow = (
  { chainId, id, number, orderId, owner, queuedAt, reservedMicros, signature }: NewPermitSubmission
): typeof NewRow.Type => ({
  owner,
  reserved_micros: reservedMicros,
  id,
  order_id: orderId,
  number,
  chain_id: chainId,
  signature,
  state: "queued",
  round: 0,
  queued_at: queuedAt
})

const decode = (rows: ReadonlyArray<unknown>) => Effect.map(decodeRows(rows), (decoded) => decoded.map(toSubmission))
const one = (rows: ReadonlyArray<unknown>) => Effect.map(decode(rows), ([submission]) => submission)

/** How a submission ends, and is undone. */
const endings = (sql: SqlClient.SqlClient) => {
  const { endUnpaid } = queuedWork(sql)

  const endVoid = <A, E, R>(id: Hex32, round: number, from: "queued" | "done", end: Effect.Effect<A, E, R>) =>
    endUnpaid(
      "permit",
      id,
      (isInFlight) =>
        sql`UPDATE permit_submissions SET state = 'queued', ended_at = NULL, round = round + 1
          WHERE id = ${id} AND state = ${from} AND round = ${round} AND ${isInFlight}`,
      end
    )

  const close: PermitSubmissions["Service"]["close"] = (id, round, state, at) => {
    const end = sql`UPDATE permit_submissions SET state = ${state}, ended_at = ${
      state === "done" ? null : at
    } WHERE id = ${id} AND state = 'queued' AND round = ${round}`
    return (state === "void" ? endVoid(id, round, "queued", end) : end).pipe(
      Effect.asVoid,
      storeCall("PermitSubmissions.close")
    )
  }

  const recordFinal: PermitSubmissions["Service"]["recordFinal"] = (id, round, at) =>
    sql`UPDATE permit_submissions SET ended_at = ${at} WHERE id = ${id} AND state = 'done' AND ended_at IS NULL AND round = ${round}`
      .pipe(
        Effect.asVoid,
        storeCall("PermitSubmissions.recordFinal")
      )

  const fail: PermitSubmissions["Service"]["fail"] = (id, round, at) =>
    endVoid(
      id,
      round,
      "done",
      sql`UPDATE permit_submissions SET state = 'void', ended_at = ${at}, spent_micros = COALESCE(reserved_micros, '0') WHERE id = ${id} AND state = 'done' AND round = ${round}`
    )
      .pipe(
        Effect.asVoid,
        storeCall("PermitSubmissions.fail")
      )

  const reopen: PermitSubmissions["Service"]["reopen"] = (id) =>
    sql`UPDATE permit_submissions SET state = 'queued', ended_at = NULL, round = round + 1 WHERE id = ${id} AND state = 'done' RETURNING id`
      .pipe(
        Effect.map((reopened) => reopened.length > 0),
        storeCall("PermitSubmissions.reopen")
      )

  return { close, recordFinal, fail, reopen }
}

export const layer = Layer.effect(
  PermitSubmissions,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const newest: PermitSubmissions["Service"]["newest"] = (orderId) =>
      sql`SELECT * FROM permit_submissions WHERE order_id = ${orderId} ORDER BY number DESC LIMIT 1`.pipe(
        Effect.flatMap(one),
        storeCall("PermitSubmissions.newest")
      )

    /** The cost of submissions that reverted in the last 24 hours, and the possible cost of queued ones. */
    const atRisk = ({ chainId, queuedAt }: NewPermitSubmission) =>
      sql`SELECT CAST(COALESCE(SUM(CAST(COALESCE(spent_micros, reserved_micros, '0') AS BIGINT)), 0) AS TEXT) AS total
          FROM permit_submissions WHERE chain_id = ${chainId}
            AND (state = 'queued' OR (state = 'void' AND spent_micros IS NOT NULL AND ended_at > ${
        queuedAt - REVERTED_PERMITS_WINDOW_MS
      }))`.pipe(
        Effect.flatMap(decodeTotal),
        Effect.map(([{ total }]) => total)
      )

    const standing = ({ id, orderId }: NewPermitSubmission) =>
      sql`SELECT * FROM permit_submissions WHERE id = ${id} OR (order_id = ${orderId} AND state <> 'void')`

    const queue: PermitSubmissions["Service"]["queue"] = (submission, cap) =>
      sql.withTransaction(Effect.gen(function*() {
        yield* sql`INSERT INTO permit_gas_lock ${sql.insert({ chain_id: submission.chainId, taken: 0 })}
                   ON CONFLICT (chain_id) DO UPDATE SET taken = permit_gas_lock.taken + 1`
        if ((yield* standing(submission)).length > 0) return "again"
        if ((yield* atRisk(submission)) + submission.reservedMicros > cap) return "capped"
        const queued = yield* sql`INSERT INTO permit_submissions ${
          sql.insert(yield* encodeRow(toRow(submission)))
        } ON CONFLICT DO NOTHING RETURNING id`
        return queued.length > 0 ? "queued" : "busy"
      })).pipe(storeCall("PermitSubmissions.queue"))

    const reverted: PermitSubmissions["Service"]["reverted"] = (orderId) =>
      sql`SELECT CAST(COUNT(*) AS TEXT) AS total FROM permit_submissions WHERE order_id = ${orderId} AND state = 'void' AND spent_micros IS NOT NULL`
        .pipe(
          Effect.flatMap(decodeTotal),
          Effect.map(([{ total }]) => Number(total)),
          storeCall("PermitSubmissions.reverted")
        )

    const spend: PermitSubmissions["Service"]["spend"] = (id, usdMicros) =>
      sql`UPDATE permit_submissions SET spent_micros = ${usdMicros.toString()} WHERE id = ${id} AND state = 'queued'`
        .pipe(
          Effect.asVoid,
          storeCall("PermitSubmissions.spend")
        )

    const find: PermitSubmissions["Service"]["find"] = (id) =>
      sql`SELECT * FROM permit_submissions WHERE id = ${id}`.pipe(
        Effect.flatMap(one),
        storeCall("PermitSubmissions.find")
      )

    const open = sql`SELECT * FROM permit_submissions WHERE state = 'queued' ORDER BY queued_at, id`.pipe(
      Effect.flatMap(decode),
      storeCall("PermitSubmissions.open")
    )

    const unfinal =
      sql`SELECT * FROM permit_submissions WHERE state = 'done' AND ended_at IS NULL ORDER BY queued_at, id`.pipe(
        Effect.flatMap(decode),
        storeCall("PermitSubmissions.unfinal")
      )

    // The payment of a submission has the submission's id in place of an order id. All of its variants share one row,
    // so it does not matter which one was mined.
    const gasPaid: PermitSubmissions["Service"]["gasPaid"] = (orderId, transactionId) =>
      sql`SELECT p.gas_paid FROM permit_submissions s
          JOIN payments p ON p.order_id = s.id AND p.leg = 'permit' AND p.state <> 'void'
          JOIN payment_variants v ON v.chain_id = p.chain_id AND v.account = p.account AND v.sequence = p.sequence
          WHERE s.order_id = ${orderId} AND v.transaction_id = ${transactionId}`.pipe(
        Effect.flatMap(decodeGas),
        Effect.map(([found]) => found === undefined ? undefined : found.gas_paid ?? "unknown"),
        storeCall("PermitSubmissions.gasPaid")
      )

    return PermitSubmissions.of({
      newest,
      queue,
      reverted,
      spend,
      find,
      open,
      unfinal,
      ...endings(sql),
      gasPaid
    })
  })
)
