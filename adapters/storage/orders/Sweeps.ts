/**
 * Sweeps in SQL, one text for both engines. Two unique indexes decide which sweep is queued: by number, and among those
 * queued in their first round. A sweep that is queued again is seen by every later `queue`. A sweep that is queued at
 * the same moment finds an empty address, because the account's sequences put the older transaction before it.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import type { NewSweep, Sweep } from "../../../ports/store/orders/Sweeps.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { touchAddress } from "./DepositAddresses.ts"
import { queuedWork } from "./payments/QueuedWork.ts"
import { Millis, SqlCount, SqlInt, UintText } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"

const Row = Schema.Struct({
  id: Hex32,
  chain_id: SqlInt.pipe(Schema.decodeTo(ChainId)),
  address: Address,
  currency: CurrencyAddress,
  number: SqlCount,
  order_id: OrderId,
  depositor: Address,
  deposit_id: Schema.NullOr(OrderId),
  units: UintText,
  state: Schema.Literals(["queued", "done", "void"]),
  height: Schema.NullOr(UintText),
  round: SqlCount,
  queued_at: Millis
})

const CurrencyRow = Schema.Struct({
  currency: CurrencyAddress,
  queued: SqlCount,
  unfinal: SqlCount,
  completed: SqlCount,
  last_height: Schema.NullOr(UintText)
})

const decodeSigned = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ transaction_id: TransactionId, raw: Schema.String }))
)
const decodeNamed = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ deposit_id: OrderId })]))
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
const encodeRow = Schema.encodeEffect(Row)
const encodeHeight = Schema.encodeEffect(UintText)
const decodeCurrencies = Schema.decodeUnknownEffect(Schema.Array(CurrencyRow))

const toSweep = (row: typeof Row.Type): Sweep => ({
  id: row.id,
  chainId: row.chain_id,
  address: row.address,
  currency: row.currency,
  number: row.number,
  orderId: row.order_id,
  depositor: row.depositor,
  depositId: row.deposit_id ?? undefined,
  units: row.units,
  queuedAt: row.queued_at,
  state: row.state,
  height: row.height ?? undefined,
  round: row.round
})

const toRow = (sweep: NewSweep): typeof Row.Type => ({
  id: sweep.id,
  chain_id: sweep.chainId,
  address: sweep.address,
  currency: sweep.currency,
  number: sweep.number,
  order_id: sweep.orderId,
  depositor: sweep.depositor,
  deposit_id: null,
  units: sweep.units,
  state: "queued",
  height: null,
  round: 0,
  queued_at: sweep.queuedAt
})

const decode = (rows: ReadonlyArray<unknown>) => Effect.map(decodeRows(rows), (decoded) => decoded.map(toSweep))

const sweepReads = (sql: SqlClient.SqlClient) => {
  // Heights are texts without leading zeros: the longer of two is the greater.
  const of: Sweeps["Service"]["of"] = (chainId, address) =>
    sql`SELECT s.currency,
          COUNT(CASE WHEN s.state = 'queued' THEN 1 END) AS queued,
          COUNT(CASE WHEN s.state = 'done' AND s.ended_at IS NULL THEN 1 END) AS unfinal,
          COUNT(CASE WHEN s.state <> 'queued' THEN 1 END) AS completed,
          (SELECT e.height FROM sweeps e
           WHERE e.chain_id = ${chainId} AND e.address = ${address} AND e.currency = s.currency AND e.state <> 'queued'
           ORDER BY LENGTH(e.height) DESC, e.height DESC LIMIT 1) AS last_height
        FROM sweeps s WHERE s.chain_id = ${chainId} AND s.address = ${address}
        GROUP BY s.currency ORDER BY s.currency`.pipe(
      Effect.flatMap(decodeCurrencies),
      Effect.map((rows) =>
        rows.map((row) => ({
          currency: row.currency,
          queued: row.queued > 0,
          unfinal: row.unfinal > 0,
          completed: row.completed,
          lastHeight: row.last_height ?? undefined
        }))
      ),
      storeCall("Sweeps.of")
    )

  const find: Sweeps["Service"]["find"] = (id) =>
    sql`SELECT * FROM sweeps WHERE id = ${id}`.pipe(
      Effect.flatMap(decode),
      Effect.map(([sweep]) => sweep),
      storeCall("Sweeps.find")
    )

  const open = sql`SELECT * FROM sweeps WHERE state = 'queued' ORDER BY queued_at, id`.pipe(
    Effect.flatMap(decode),
    storeCall("Sweeps.open")
  )

  const unfinal = sql`SELECT * FROM sweeps WHERE state = 'done' AND ended_at IS NULL ORDER BY queued_at, id`.pipe(
    Effect.flatMap(decode),
    storeCall("Sweeps.unfinal")
  )

  const ofAddress: Sweeps["Service"]["ofAddress"] = (address, limit) =>
    sql`SELECT * FROM sweeps WHERE address = ${address} ORDER BY queued_at DESC, number DESC, id DESC LIMIT ${limit}`
      .pipe(
        Effect.flatMap(decode),
        storeCall("Sweeps.ofAddress")
      )

  // A payment that was set aside has another purpose and keeps its sequence.
  const signed: Sweeps["Service"]["signed"] = (chainId, address) =>
    sql`SELECT v.transaction_id, v.raw FROM sweeps s
        JOIN payments p ON p.order_id = s.id AND (p.leg = 'sweep' OR p.leg LIKE 'sweep!%')
        JOIN payment_variants v ON v.chain_id = p.chain_id AND v.account = p.account AND v.sequence = p.sequence
        WHERE s.chain_id = ${chainId} AND s.address = ${address}
        ORDER BY v.transaction_id`
      .pipe(
        Effect.flatMap(decodeSigned),
        Effect.map((rows) => rows.map(({ raw, transaction_id }) => ({ transactionId: transaction_id, raw }))),
        storeCall("Sweeps.signed")
      )

  return { of, find, open, unfinal, ofAddress, signed }
}

export const layer = Layer.effect(
  Sweeps,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { endUnpaid } = queuedWork(sql)

    const queue: Sweeps["Service"]["queue"] = (sweep) =>
      sql.withTransaction(Effect.gen(function*() {
        const row = yield* encodeRow(toRow(sweep))
        const others = yield* sql`SELECT id FROM sweeps
            WHERE chain_id = ${row.chain_id} AND address = ${row.address} AND currency = ${row.currency} AND state = 'queued' LIMIT 1`
        if (others.length > 0) return false
        const queued = yield* sql`INSERT INTO sweeps ${sql.insert(row)} ON CONFLICT DO NOTHING RETURNING id`
        if (queued.length === 0) return false
        yield* touchAddress(sql, sweep.address, sweep.queuedAt)
        return true
      })).pipe(storeCall("Sweeps.queue"))

    const name: Sweeps["Service"]["name"] = (id, depositId) =>
      sql`UPDATE sweeps SET deposit_id = COALESCE(deposit_id, ${depositId}) WHERE id = ${id} RETURNING deposit_id`.pipe(
        Effect.flatMap(decodeNamed),
        Effect.map(([named]) => named.deposit_id),
        storeCall("Sweeps.name")
      )

    const endVoid = <A, E, R>(id: Hex32, round: number, from: "queued" | "done", end: Effect.Effect<A, E, R>) =>
      endUnpaid(
        "sweep",
        id,
        (isInFlight) =>
          sql`UPDATE sweeps SET state = 'queued', height = NULL, ended_at = NULL, round = round + 1
            WHERE id = ${id} AND state = ${from} AND round = ${round} AND ${isInFlight}`,
        end
      )

    const close: Sweeps["Service"]["close"] = Effect.fnUntraced(function*(id, round, { height, state }, at) {
      const text = yield* encodeHeight(height)
      const endedAt = state === "done" ? null : at
      const end =
        sql`UPDATE sweeps SET state = ${state}, height = ${text}, ended_at = ${endedAt} WHERE id = ${id} AND state = 'queued' AND round = ${round}`
      yield* state === "void" ? endVoid(id, round, "queued", end) : end
    }, storeCall("Sweeps.close"))

    const recordFinal: Sweeps["Service"]["recordFinal"] = (id, round, at) =>
      sql`UPDATE sweeps SET ended_at = ${at} WHERE id = ${id} AND state = 'done' AND ended_at IS NULL AND round = ${round}`
        .pipe(
          Effect.asVoid,
          storeCall("Sweeps.recordFinal")
        )

    const fail: Sweeps["Service"]["fail"] = (id, round) =>
      endVoid(
        id,
        round,
        "done",
        sql`UPDATE sweeps SET state = 'void' WHERE id = ${id} AND state = 'done' AND round = ${round}`
      ).pipe(
        Effect.asVoid,
        storeCall("Sweeps.fail")
      )

    const reopen: Sweeps["Service"]["reopen"] = (id) =>
      sql`UPDATE sweeps SET state = 'queued', height = NULL, ended_at = NULL, round = round + 1 WHERE id = ${id} AND state = 'done' RETURNING id`
        .pipe(
          Effect.map((reopened) => reopened.length > 0),
          storeCall("Sweeps.reopen")
        )

    return Sweeps.of({ ...sweepReads(sql), queue, name, close, recordFinal, fail, reopen })
  })
)
