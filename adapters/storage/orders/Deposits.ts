/** Sighted deposits and scanning cursors in SQL, one text for both engines. */
import { Array as Arr, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import type { NamedDeposit } from "../../../ports/store/orders/Deposits.ts"
import { NO_ORDER } from "../../../src/domain/deposit-address/reindex/NoOrder.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { JsonText, SqlInt } from "../engine/Columns.ts"
import { DepositStates } from "./DepositStates.ts"
import { openSettlement } from "./Settlements.ts"
import { storeCall } from "../StoreCall.ts"

const DepositJson = JsonText(Deposit)
const Row = Schema.Struct({ deposit: DepositJson, sighting: SqlInt })
const decodeSightings = Schema.decodeUnknownEffect(Schema.Array(Row))
const decodeOpen = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ onchain_id: Hex32, sighting: SqlInt })))
const decodeStates = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ state: DepositStates })))
const decodeCursors = Schema.decodeUnknownEffect(Schema.Array(Cursor))
/** Of one statement: engines bound its parameters, at 32,766 and 65,535. */
const ROWS = 1_000
/** Of a precedence, so that texts are in the order of their numbers. */
const DIGITS = 78
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

    const rowOf = (deposit: Deposit, state: "open" | "foreign", seenAt: number, precedence: bigint) =>
      Effect.map(encodeDeposit(deposit), (encoded) => ({
        onchain_id: deposit.onchainId,
        chain_id: deposit.chainId,
        transaction_id: deposit.transactionId,
        deposit_id: deposit.depositId,
        deposit: encoded,
        block_hash: deposit.block.hash,
        sighting: 1,
        state,
        seen_at: seenAt,
        precedence: precedence.toString().padStart(DIGITS, "0")
      }))

    const insertBatch = Effect.fnUntraced(
      function*(batch: Arr.NonEmptyReadonlyArray<NamedDeposit>, seenAt: number) {
        const rows = yield* Effect.forEach(
          batch,
          ({ deposit, precedence }) => rowOf(deposit, "open", seenAt, precedence)
        )
        const fresh = yield* sql`INSERT INTO deposits ${sql.insert(Arr.map(rows, (row) => ({ ...row })))}
          ON CONFLICT (onchain_id) DO UPDATE
            SET state = 'open', deposit = excluded.deposit, block_hash = excluded.block_hash,
                precedence = excluded.precedence, sighting = deposits.sighting + 1
            WHERE deposits.state = 'gone' OR (deposits.state = 'open' AND deposits.block_hash <> excluded.block_hash)
          RETURNING onchain_id, sighting`
        const sightings = new Map((yield* decodeOpen(fresh)).map((each) => [each.onchain_id, each.sighting]))
        return batch.flatMap(({ deposit }) => {
          const sighting = sightings.get(deposit.onchainId)
          return sighting === undefined ? [] : [{ deposit, sighting }]
        })
      }
    )

    const insert = (deposits: ReadonlyArray<NamedDeposit>, seenAt: number) => {
      // A statement must not meet a row of its own.
      const distinct = [...new Map(deposits.map((each) => [each.deposit.onchainId, each])).values()]
      return Effect.map(
        Effect.forEach(
          Arr.chunksOf(distinct, ROWS).filter(Arr.isReadonlyArrayNonEmpty),
          (batch) => insertBatch(batch, seenAt)
        ),
        (fresh) => fresh.flat()
      )
    }

    const record: Deposits["Service"]["record"] = (chainId, { hash, height }, deposits, seenAt) =>
      sql.withTransaction(Effect.gen(function*() {
        const fresh = yield* insert(deposits, seenAt)
        const at = height.toString()
        yield* sql`INSERT INTO cursors ${sql.insert({ chain_id: chainId, height: at, hash })}
                   ON CONFLICT (chain_id) DO UPDATE SET height = ${at}, hash = ${hash}`
        return fresh
      })).pipe(storeCall("Deposits.record"))

    const note: Deposits["Service"]["note"] = (deposits, seenAt) =>
      sql.withTransaction(insert(deposits, seenAt)).pipe(storeCall("Deposits.note"))

    const noteForeign: Deposits["Service"]["noteForeign"] = (deposits, seenAt) =>
      sql.withTransaction(
        Effect.forEach(
          Arr.chunksOf(deposits, ROWS).filter(Arr.isReadonlyArrayNonEmpty),
          Effect.fnUntraced(function*(batch) {
            const rows = yield* Effect.forEach(batch, (deposit) => rowOf(deposit, "foreign", seenAt, 0n))
            return (yield* sql`INSERT INTO deposits ${
              sql.insert(Arr.map(rows, (row) => ({ ...row })))
            } ON CONFLICT (onchain_id) DO NOTHING RETURNING sighting`).length
          })
        )
      ).pipe(
        Effect.map((counts) => counts.reduce((sum, count) => sum + count, 0)),
        storeCall("Deposits.noteForeign")
      )

    const find: Deposits["Service"]["find"] = (onchainId) =>
      sql`SELECT deposit, sighting FROM deposits WHERE onchain_id = ${onchainId}`.pipe(
        Effect.flatMap(decodeSightings),
        Effect.map((rows) => rows[0]),
        storeCall("Deposits.find")
      )

    const stateOf: Deposits["Service"]["stateOf"] = (onchainId) =>
      sql`SELECT state FROM deposits WHERE onchain_id = ${onchainId}`.pipe(
        Effect.flatMap(decodeStates),
        Effect.map((rows) => rows[0]?.state),
        storeCall("Deposits.stateOf")
      )

    const open: Deposits["Service"]["open"] = (ofOneOrder) =>
      // By the index `deposits_open` alone, and in its order: all that is open is gone through each time.
      sql`SELECT onchain_id, sighting FROM (
            SELECT onchain_id, sighting, seen_at, deposit_id, ROW_NUMBER() OVER (
              PARTITION BY deposit_id ORDER BY precedence DESC, seen_at, onchain_id
            ) AS place FROM deposits WHERE state = 'open'
          ) AS placed WHERE place <= ${ofOneOrder} OR deposit_id = ${NO_ORDER} ORDER BY seen_at, onchain_id`.pipe(
        Effect.flatMap(decodeOpen),
        Effect.map((rows) => rows.map(({ onchain_id, sighting }) => ({ onchainId: onchain_id, sighting }))),
        storeCall("Deposits.open")
      )

    const ended: Deposits["Service"]["ended"] = (chainId, limit) =>
      sql`SELECT deposit, sighting FROM deposits WHERE chain_id = ${chainId} AND state IN ('filled', 'refunded')
          ORDER BY seen_at DESC, onchain_id LIMIT ${limit}`.pipe(
        Effect.flatMap(decodeSightings),
        storeCall("Deposits.ended")
      )

    const sightAgain: Deposits["Service"]["sightAgain"] = ({ onchainId, sighting }) =>
      sql`UPDATE deposits SET sighting = sighting + 1
          WHERE onchain_id = ${onchainId} AND state = 'open' AND sighting = ${sighting}
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
      find,
      stateOf,
      open,
      ended,
      sightAgain,
      reopen,
      close
    })
  })
)
