/** Sighted deposits and scanning cursors in SQL, one text for both engines. */
import { Array as Arr, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { JsonText, SqlInt } from "../engine/Columns.ts"
import { openSettlement } from "./Settlements.ts"
import { storeCall } from "../StoreCall.ts"

const DepositJson = JsonText(Deposit)
const Row = Schema.Struct({ deposit: DepositJson, sighting: SqlInt })
const decodeSightings = Schema.decodeUnknownEffect(Schema.Array(Row))
const decodeCursors = Schema.decodeUnknownEffect(Schema.Array(Cursor))
/** Of one statement: engines bound its parameters, at 32,766 and 65,535. */
const ROWS = 1_000
const encodeDeposit = Schema.encodeEffect(DepositJson)

export const layer = Layer.effect(
  Deposits,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const cursor: Deposits["Service"]["cursor"] = (chainId) =>
      sql`SELECT height, hash FROM cursors WHERE chain_id = ${chainId}`.pipe(
        Effect.flatMap(decodeCursors),
        Effect.map((rows) => rows[0]),
        storeCall("Deposits.cursor")
      )

    const anchor: Deposits["Service"]["anchor"] = (chainId, { hash, height }) =>
      sql`INSERT INTO cursors ${
        sql.insert({ chain_id: chainId, height: height.toString(), hash, anchored: height.toString() })
      }
          ON CONFLICT (chain_id) DO NOTHING`.pipe(Effect.asVoid, storeCall("Deposits.anchor"))

    const rowOf = (deposit: Deposit, state: "open" | "foreign", seenAt: number) =>
      Effect.map(encodeDeposit(deposit), (encoded) => ({
        onchain_id: deposit.onchainId,
        chain_id: deposit.chainId,
        transaction_id: deposit.transactionId,
        deposit_id: deposit.depositId,
        deposit: encoded,
        block_hash: deposit.block.hash,
        sighting: 1,
        state,
        seen_at: seenAt
      }))

    const insert = Effect.fnUntraced(function*(deposit: Deposit, seenAt: number) {
      const row = yield* rowOf(deposit, "open", seenAt)
      const rows = yield* sql`INSERT INTO deposits ${sql.insert(row)}
        ON CONFLICT (onchain_id) DO UPDATE
          SET state = 'open', deposit = ${row.deposit}, block_hash = ${row.block_hash}, sighting = deposits.sighting + 1
          WHERE deposits.state = 'gone' OR (deposits.state = 'open' AND deposits.block_hash <> ${row.block_hash})
        RETURNING deposit, sighting`
      return yield* decodeSightings(rows)
    })

    const record: Deposits["Service"]["record"] = (chainId, { hash, height }, deposits, seenAt) =>
      sql.withTransaction(Effect.gen(function*() {
        const fresh = yield* Effect.forEach(deposits, (deposit) => insert(deposit, seenAt))
        const at = height.toString()
        yield* sql`INSERT INTO cursors ${sql.insert({ chain_id: chainId, height: at, hash })}
                   ON CONFLICT (chain_id) DO UPDATE SET height = ${at}, hash = ${hash}`
        return fresh.flat()
      })).pipe(storeCall("Deposits.record"))

    const note: Deposits["Service"]["note"] = (deposits, seenAt) =>
      sql.withTransaction(Effect.forEach(deposits, (deposit) => insert(deposit, seenAt))).pipe(
        Effect.map((fresh) => fresh.flat()),
        storeCall("Deposits.note")
      )

    const noteForeign: Deposits["Service"]["noteForeign"] = (deposits, seenAt) =>
      sql.withTransaction(
        Effect.forEach(
          Arr.chunksOf(deposits, ROWS).filter(Arr.isReadonlyArrayNonEmpty),
          Effect.fnUntraced(function*(batch) {
            const rows = yield* Effect.forEach(batch, (deposit) => rowOf(deposit, "foreign", seenAt))
            return (yield* sql`INSERT INTO deposits ${
              sql.insert(Arr.map(rows, (row) => ({ ...row })))
            } ON CONFLICT (onchain_id) DO NOTHING RETURNING sighting`).length
          })
        )
      ).pipe(
        Effect.map((counts) => counts.reduce((sum, count) => sum + count, 0)),
        storeCall("Deposits.noteForeign")
      )

    const openSince: Deposits["Service"]["openSince"] = (time) =>
      sql`SELECT deposit, sighting FROM deposits WHERE state = 'open' AND (seen_at >= ${time} OR sighting > 1) ORDER BY seen_at, onchain_id`
        .pipe(
          Effect.flatMap(decodeSightings),
          storeCall("Deposits.openSince")
        )

    const find: Deposits["Service"]["find"] = (onchainId) =>
      sql`SELECT deposit, sighting FROM deposits WHERE onchain_id = ${onchainId}`.pipe(
        Effect.flatMap(decodeSightings),
        Effect.map((rows) => rows[0]),
        storeCall("Deposits.find")
      )

    const open = sql`SELECT deposit, sighting FROM deposits WHERE state = 'open' ORDER BY seen_at, onchain_id`.pipe(
      Effect.flatMap(decodeSightings),
      storeCall("Deposits.open")
    )

    const ended: Deposits["Service"]["ended"] = (chainId, limit) =>
      sql`SELECT deposit, sighting FROM deposits WHERE chain_id = ${chainId} AND state IN ('filled', 'refunded')
          ORDER BY seen_at DESC, onchain_id LIMIT ${limit}`.pipe(
        Effect.flatMap(decodeSightings),
        storeCall("Deposits.ended")
      )

    const sightAgain: Deposits["Service"]["sightAgain"] = ({ deposit, sighting }) =>
      sql`UPDATE deposits SET sighting = sighting + 1
          WHERE onchain_id = ${deposit.onchainId} AND state = 'open' AND sighting = ${sighting}
          RETURNING deposit, sighting`.pipe(
        Effect.flatMap(decodeSightings),
        Effect.map((rows) => rows[0]),
        storeCall("Deposits.sightAgain")
      )

    const reopen: Deposits["Service"]["reopen"] = (onchainId) =>
      sql.withTransaction(Effect.gen(function*() {
        const [again] = yield* decodeSightings(
          yield* sql`UPDATE deposits SET state = 'open', sighting = sighting + 1
              WHERE onchain_id = ${onchainId} AND state = 'unrefundable'
              RETURNING deposit, sighting`
        )
        // Whatever keeps it now is found anew.
        if (again !== undefined) yield* sql`DELETE FROM refunds_held WHERE onchain_id = ${onchainId}`
        return again
      })).pipe(storeCall("Deposits.reopen"))

    const close: Deposits["Service"]["close"] = (onchainId, sighting, state, at) =>
      sql.withTransaction(Effect.andThen(
        sql`UPDATE deposits SET state = ${state}, has_settlement = ${
          state === "filled" || state === "refunded" ? 1 : null
        } WHERE onchain_id = ${onchainId} AND sighting = ${sighting}`,
        openSettlement(sql, onchainId, sighting, at)
      )).pipe(Effect.asVoid, storeCall("Deposits.close"))

    return Deposits.of({
      cursor,
      anchor,
      record,
      note,
      noteForeign,
      openSince,
      find,
      open,
      ended,
      sightAgain,
      reopen,
      close
    })
  })
)
