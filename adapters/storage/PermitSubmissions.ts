/**
 * Permits in SQL, one text for both engines. Who may queue one is decided by two unique indexes: of the number, and of what of
 * an order is queued or done.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { PermitSubmissions } from "../../ports/PermitSubmissions.ts"
import type { NewPermitSubmission, PermitSubmission } from "../../ports/PermitSubmissions.ts"
import { ChainId } from "../../src/domain/chain/ChainId.ts"
import { Hex, Hex32 } from "../../src/domain/chain/Hex.ts"
import { OrderId } from "../../src/domain/order/Order.ts"
import { Millis, SqlInt, UintText } from "./engine/Columns.ts"
import { storeCall } from "./StoreCall.ts"

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

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
const decodeGas = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ gas_paid: Schema.NullOr(UintText) })))
const encodeRow = Schema.encodeEffect(Row)

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

const toRow = ({ chainId, id, number, orderId, queuedAt, signature }: NewPermitSubmission): typeof Row.Type => ({
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

export const layer = Layer.effect(
  PermitSubmissions,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const newest: PermitSubmissions["Service"]["newest"] = (orderId) =>
      sql`SELECT * FROM permit_submissions WHERE order_id = ${orderId} ORDER BY number DESC LIMIT 1`.pipe(
        Effect.flatMap(one),
        storeCall("PermitSubmissions.newest")
      )

    const queue: PermitSubmissions["Service"]["queue"] = Effect.fnUntraced(function*(submission) {
      const queued = yield* sql`INSERT INTO permit_submissions ${sql.insert(yield* encodeRow(toRow(submission)))} ON CONFLICT DO NOTHING RETURNING id`
      return queued.length > 0
    }, storeCall("PermitSubmissions.queue"))

    const find: PermitSubmissions["Service"]["find"] = (id) =>
      sql`SELECT * FROM permit_submissions WHERE id = ${id}`.pipe(Effect.flatMap(one), storeCall("PermitSubmissions.find"))

    const open = sql`SELECT * FROM permit_submissions WHERE state = 'queued' ORDER BY queued_at, id`.pipe(
      Effect.flatMap(decode),
      storeCall("PermitSubmissions.open")
    )

    const close: PermitSubmissions["Service"]["close"] = (id, round, state, at) =>
      sql`UPDATE permit_submissions SET state = ${state}, ended_at = ${at} WHERE id = ${id} AND state = 'queued' AND round = ${round}`.pipe(
        Effect.asVoid,
        storeCall("PermitSubmissions.close")
      )

    const fail: PermitSubmissions["Service"]["fail"] = (id, round) =>
      sql`UPDATE permit_submissions SET state = 'void' WHERE id = ${id} AND state = 'done' AND round = ${round}`.pipe(
        Effect.asVoid,
        storeCall("PermitSubmissions.fail")
      )

    const reopen: PermitSubmissions["Service"]["reopen"] = (id) =>
      sql`UPDATE permit_submissions SET state = 'queued', ended_at = NULL, round = round + 1 WHERE id = ${id} AND state = 'done' RETURNING id`.pipe(
        Effect.map((reopened) => reopened.length > 0),
        storeCall("PermitSubmissions.reopen")
      )

    // The payment of a submission names it where others name an order; whichever of its variants was mined, it is in one row.
    const gasPaid: PermitSubmissions["Service"]["gasPaid"] = (orderId, transactionId) =>
      sql`SELECT p.gas_paid FROM permit_submissions s
          JOIN payments p ON p.order_id = s.id AND p.leg = 'permit' AND p.state <> 'void'
          JOIN payment_variants v ON v.chain_id = p.chain_id AND v.account = p.account AND v.sequence = p.sequence
          WHERE s.order_id = ${orderId} AND v.transaction_id = ${transactionId}`.pipe(
        Effect.flatMap(decodeGas),
        Effect.map(([found]) => found === undefined ? undefined : found.gas_paid ?? "unknown"),
        storeCall("PermitSubmissions.gasPaid")
      )

    return PermitSubmissions.of({ newest, queue, find, open, close, fail, reopen, gasPaid })
  })
)
