/** Transfers in SQL, one text for both engines. */
import { Array as Arr, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { isSponsored } from "../../../src/domain/transfer/IsSponsored.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { canMove, Status } from "../../../src/domain/transfer/Status.ts"
import { isUsersOwn } from "../../../src/domain/transfer/Transfer.ts"
import type { Transfer } from "../../../src/domain/transfer/Transfer.ts"
import { DepositJson } from "./RecordedDeposits.ts"
import { keepAddress } from "./DepositAddresses.ts"
import { Millis, SqlCount, SqlInt } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"
import { encodeUpdate, noteUpdate, updateOf } from "../clients/WebhookOutbox.ts"
import { encodeTransfer, makeDecodeTransfers, TermsText } from "./TransferRows.ts"

const decodeUnended = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ id: RequestId, status: Status, updated_at: Millis, terms: TermsText }))
)
const decodeCounts = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ status: Status, count: SqlCount })))
const decodeStatus = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ status: Status, sequence: SqlInt, api_key_id: Schema.NullOr(ApiKeyId) }))
)

const decodeNamed = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ deposit: DepositJson })))

/** Of one statement. */
const ROWS = 1_000
const decodeKnown = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ order_id: OrderId, terms: TermsText }))
)

export const layer = Layer.effect(
  Transfers,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const decode = makeDecodeTransfers()
    const one = (rows: ReadonlyArray<unknown>) => Effect.map(decode(rows), ([transfer]) => transfer)

    const add = Effect.fnUntraced(function*(transfer: Transfer) {
      const row = yield* encodeTransfer(transfer)
      const columns = {
        user_account: transfer.terms.user,
        sponsored: isSponsored(transfer) ? 1 : 0,
        deposit_address: transfer.terms.depositAddress?.address ?? null
      }
      const awaited = {
        order_id: row.order_id,
        chain_id: transfer.terms.originChainId,
        quoted_at: row.quoted_at,
        state: "awaited"
      }
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`INSERT INTO transfers ${sql.insert({ ...row, ...columns })}`
        yield* sql`INSERT INTO transfer_events ${
          sql.insert({
            transfer_id: row.id,
            sequence: 0,
            status: row.status,
            fail_reason: row.fail_reason,
            at: row.updated_at
          })
        }`
        yield* keepAddress(sql, transfer)
        if (isUsersOwn(transfer.terms)) yield* sql`INSERT INTO sends ${sql.insert(awaited)}`
      }))
    }, storeCall("Transfers.add"))

    const find = (id: RequestId) =>
      Effect.flatMap(sql`SELECT * FROM transfers WHERE id = ${id}`, one).pipe(storeCall("Transfers.find"))

    const findByOrder = (orderId: OrderId) =>
      Effect.flatMap(sql`SELECT * FROM transfers WHERE order_id = ${orderId}`, one).pipe(
        storeCall("Transfers.findByOrder")
      )

    const findByDeposit: Transfers["Service"]["findByDeposit"] = Effect.fnUntraced(function*(onchainId) {
      const rows = yield* sql`SELECT d.deposit, t.* FROM deposits d JOIN transfers t ON t.order_id = d.deposit_id
                              WHERE d.onchain_id = ${onchainId}`
      const [named] = yield* decodeNamed(rows)
      const transfer = yield* one(rows)
      return named === undefined || transfer === undefined ? undefined : { deposit: named.deposit, transfer }
    }, storeCall("Transfers.findByDeposit"))

    const known: Transfers["Service"]["known"] = Effect.fnUntraced(function*(orderIds) {
      const found = yield* Effect.forEach(
        Arr.chunksOf([...new Set(orderIds)], ROWS),
        (batch) =>
          Effect.flatMap(sql`SELECT order_id, terms FROM transfers WHERE ${sql.in("order_id", batch)}`, decodeKnown)
      )
      return new Map(found.flat().map(({ order_id, terms }) => [order_id, terms]))
    }, storeCall("Transfers.known"))

    type Move = Transfers["Service"]["move"]

    const moveInSteps: Move = (id, { at, failReason, to }) =>
      sql.withTransaction(Effect.gen(function*() {
        const [current] = yield* decodeStatus(
          yield* sql`SELECT status, api_key_id, (SELECT COUNT(*) FROM transfer_events WHERE transfer_id = ${id}) AS sequence
                     FROM transfers WHERE id = ${id}`
        )
        if (current === undefined || !canMove(current.status, to)) return false
        const reason = failReason ?? null
        // Conditional on the status that was read: of two movers on a shared store, the second finds nothing to update.
        const moved = yield* sql`UPDATE transfers SET status = ${to}, fail_reason = ${reason}, updated_at = ${at}
                                 WHERE id = ${id} AND status = ${current.status} RETURNING id`
        if (moved.length === 0) return false
        yield* sql`INSERT INTO transfer_events ${
          sql.insert({ transfer_id: id, sequence: current.sequence, status: to, fail_reason: reason, at })
        }`
        if (current.api_key_id !== null) {
          yield* noteUpdate(sql, {
            key: current.api_key_id,
            request: id,
            sequence: current.sequence,
            status: to,
            failReason: reason,
            at
          })
        }
        return true
      })).pipe(storeCall("Transfers.move"))

    /**
     * Conditional on the status that it has read, like the steps: an update that had to wait for another's finds
     * another status in the row, and changes nothing.
     */
    const moveAtOnce: Move = (id, { at, failReason, to }) => {
      const from = Status.literals.filter((status) => canMove(status, to))
      if (from.length === 0) return Effect.succeed(false)
      const reason = failReason ?? null
      return encodeUpdate({ _tag: "RequestUpdated", request: id, status: to, failReason: reason }).pipe(
        Effect.flatMap((fact) =>
          sql`WITH found AS (
              SELECT status, (SELECT COUNT(*) FROM transfer_events WHERE transfer_id = ${id}) AS sequence
              FROM transfers WHERE id = ${id} AND ${sql.in("status", from)}
            ), moved AS (
              UPDATE transfers SET status = ${to}, fail_reason = ${reason}, updated_at = ${at}
              FROM found WHERE transfers.id = ${id} AND transfers.status = found.status
              RETURNING found.sequence, transfers.api_key_id
            ), noted AS (
              INSERT INTO transfer_events (transfer_id, sequence, status, fail_reason, at)
              SELECT ${id}, sequence, ${to}, ${reason}, CAST(${at} AS BIGINT) FROM moved
            ), told AS (${updateOf(sql, { request: id, fact, at }, sql`moved`)})
            SELECT 1 AS moved FROM moved`
        ),
        Effect.map((rows) => rows.length > 0),
        storeCall("Transfers.move")
      )
    }

    const move: Move = sql.onDialectOrElse({ pg: () => moveAtOnce, orElse: () => moveInSteps })

    const unended = Effect.fnUntraced(function*(limit: number) {
      // The states are those of the index's condition, in its words.
      const rows = yield* sql`SELECT id, status, updated_at, terms FROM transfers
                              WHERE status IN ('depositing', 'pending', 'submitted', 'delayed') ORDER BY updated_at LIMIT ${limit}`
      return (yield* decodeUnended(rows)).map(({ id, status, terms, updated_at }) => ({
        id,
        status,
        since: updated_at,
        originChainId: terms.originChainId,
        destinationChainId: terms.destinationChainId
      }))
    }, storeCall("Transfers.unended"))

    // Of the same index: what has ended is not looked at.
    const unendedByStatus = sql`SELECT status, COUNT(*) AS count FROM transfers
                                WHERE status IN ('depositing', 'pending', 'submitted', 'delayed') GROUP BY status`.pipe(
      Effect.flatMap(decodeCounts),
      Effect.map((rows) => new Map(rows.map(({ count, status }) => [status, count]))),
      storeCall("Transfers.unendedByStatus")
    )

    return Transfers.of({ add, find, findByOrder, findByDeposit, known, move, unended, unendedByStatus })
  })
)
