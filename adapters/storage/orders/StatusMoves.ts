/** Moves of requests from state to state: once for each state that was read, with their events and webhooks. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { StatusChange, Transfers } from "../../../ports/store/orders/Transfers.ts"
import { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { canMove, Status } from "../../../src/domain/transfer/Status.ts"
import { SqlInt } from "../engine/Columns.ts"
import { writeTogether } from "../WriteTogether.ts"
import type { Named, Write } from "../WriteTogether.ts"
import { encodeUpdate, noteUpdate, updateOf } from "../clients/WebhookOutbox.ts"
import { storeCall } from "../StoreCall.ts"
import { clearedReservations, keptReservation } from "./InventoryReservations.ts"

const decodeStatus = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ status: Status, sequence: SqlInt, api_key_id: Schema.NullOr(ApiKeyId) }))
)

export const statusMoves = (sql: SqlClient.SqlClient) => {
  /** What is written beside a move, whether it is one or not. */
  const besides = ({ releases, reserves = [] }: StatusChange): ReadonlyArray<Write> => [
    ...reserves.map((reserved) => keptReservation(sql, reserved)),
    ...(releases === undefined ? [] : clearedReservations(sql, releases))
  ]

  const moveInSteps = (id: RequestId, change: StatusChange, also: ReadonlyArray<Write>) =>
    sql.withTransaction(Effect.gen(function*() {
      const { at, failReason, to } = change
      yield* Effect.forEach([...besides(change), ...also], (write) => write, { discard: true })
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
    }))

  /**
   * Conditional on the status that it has read, like the steps: an update that had to wait for another's finds another
   * status in the row, and changes nothing.
   */
  const moveAtOnce = Effect.fnUntraced(function*(id: RequestId, change: StatusChange, also: ReadonlyArray<Write>) {
    const { at, failReason, to } = change
    const from = Status.literals.filter((status) => canMove(status, to))
    const reason = failReason ?? null
    const fact = yield* encodeUpdate({ _tag: "RequestUpdated", request: id, status: to, failReason: reason })
    const moving: ReadonlyArray<Named> = [
      {
        as: "found",
        write: sql`SELECT status, (SELECT COUNT(*) FROM transfer_events WHERE transfer_id = ${id}) AS sequence
              FROM transfers WHERE id = ${id} AND ${sql.in("status", from)}`
      },
      {
        as: "moved",
        write: sql`UPDATE transfers SET status = ${to}, fail_reason = ${reason}, updated_at = ${at}
              FROM found WHERE transfers.id = ${id} AND transfers.status = found.status
              RETURNING found.sequence, transfers.api_key_id`
      },
      {
        as: "noted",
        write: sql`INSERT INTO transfer_events (transfer_id, sequence, status, fail_reason, at)
              SELECT ${id}, sequence, ${to}, ${reason}, CAST(${at} AS BIGINT) FROM moved`
      },
      { as: "told", write: updateOf(sql, { request: id, fact, at }, sql`moved`) }
    ]
    const rows = yield* writeTogether(sql, [...moving, ...besides(change), ...also, sql`SELECT 1 AS moved FROM moved`])
    return rows.length > 0
  })

  /** `also`: written in the same transaction. */
  const moveWith = (id: RequestId, change: StatusChange, also: ReadonlyArray<Write>) =>
    sql.onDialectOrElse({
      pg: () => moveAtOnce(id, change, also),
      orElse: () => moveInSteps(id, change, also)
    })

  const move: Transfers["Service"]["move"] = (id, change) => moveWith(id, change, []).pipe(storeCall("Transfers.move"))

  return { move, moveWith }
}
