/** Transfers in SQL, one text for both engines. */
import { Array as Arr, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { isSponsored } from "../../../src/domain/transfer/IsSponsored.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { Status } from "../../../src/domain/transfer/Status.ts"
import { isUsersOwn } from "../../../src/domain/transfer/Transfer.ts"
import type { Transfer } from "../../../src/domain/transfer/Transfer.ts"
import { DepositJson } from "./RecordedDeposits.ts"
import { keepAddress } from "./DepositAddresses.ts"
import { Millis, SqlCount, SqlInt } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"
import { writeTogether } from "../WriteTogether.ts"
import type { Write } from "../WriteTogether.ts"
import { statusMoves } from "./StatusMoves.ts"
import { beginScan } from "./rows/SendCursorRow.ts"
import { makeDecodeTransfers, TermsText, transferRow } from "./rows/TransferRows.ts"

const decodeUnended = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ id: RequestId, status: Status, updated_at: Millis, terms: TermsText }))
)
const decodeCounts = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ status: Status, count: SqlCount })))

const decodeNamed = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ deposit: DepositJson, sighting: SqlInt })))

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

    /** The rows of every transfer, and of one that the user carries out alone. */
    const rowsOf = (transfer: Transfer): readonly [...ReadonlyArray<Write>, Write] => {
      const { terms } = transfer
      const row = transferRow(transfer)
      const columns = {
        user_account: terms.user,
        sponsored: isSponsored(transfer) ? 1 : 0,
        deposit_address: terms.depositAddress?.address ?? null
      }
      const event = {
        transfer_id: row.id,
        sequence: 0,
        status: row.status,
        fail_reason: row.fail_reason,
        at: row.updated_at
      }
      const awaited = {
        order_id: row.order_id,
        chain_id: terms.originChainId,
        quoted_at: row.quoted_at,
        state: "awaited"
      }
      return [
        sql`INSERT INTO transfers ${sql.insert({ ...row, ...columns })}`,
        ...(isUsersOwn(terms) ? [sql`INSERT INTO sends ${sql.insert(awaited)}`] : []),
        sql`INSERT INTO transfer_events ${sql.insert(event)}`
      ]
    }

    const addWithAddress = (transfer: Transfer) =>
      Effect.forEach(rowsOf(transfer), (write) => write, { discard: true }).pipe(
        Effect.andThen(keepAddress(sql, transfer)),
        sql.withTransaction
      )

    const add: Transfers["Service"]["add"] = (transfer, scanFrom) =>
      Effect.suspend(() => {
        const { depositAddress, originChainId } = transfer.terms
        if (depositAddress !== undefined) return addWithAddress(transfer)
        const begun = scanFrom === undefined ? [] : beginScan(sql, originChainId, scanFrom)
        return Effect.asVoid(writeTogether(sql, [...begun, ...rowsOf(transfer)]))
      }).pipe(storeCall("Transfers.add"))

    const find = (id: RequestId) =>
      Effect.flatMap(sql`SELECT * FROM transfers WHERE id = ${id}`, one).pipe(storeCall("Transfers.find"))

    const findByOrder = (orderId: OrderId) =>
      Effect.flatMap(sql`SELECT * FROM transfers WHERE order_id = ${orderId}`, one).pipe(
        storeCall("Transfers.findByOrder")
      )

    const findByDeposit: Transfers["Service"]["findByDeposit"] = Effect.fnUntraced(function*(onchainId) {
      const rows =
        yield* sql`SELECT d.deposit, d.sighting, t.* FROM deposits d JOIN transfers t ON t.order_id = d.deposit_id
                              WHERE d.onchain_id = ${onchainId}`
      const [named] = yield* decodeNamed(rows)
      const transfer = yield* one(rows)
      return named === undefined || transfer === undefined ? undefined : { ...named, transfer }
    }, storeCall("Transfers.findByDeposit"))

    const known: Transfers["Service"]["known"] = Effect.fnUntraced(function*(orderIds) {
      const found = yield* Effect.forEach(
        Arr.chunksOf([...new Set(orderIds)], ROWS),
        (batch) =>
          Effect.flatMap(sql`SELECT order_id, terms FROM transfers WHERE ${sql.in("order_id", batch)}`, decodeKnown)
      )
      return new Map(found.flat().map(({ order_id, terms }) => [order_id, terms]))
    }, storeCall("Transfers.known"))

    const { move } = statusMoves(sql)

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
