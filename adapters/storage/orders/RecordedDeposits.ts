/** Deposits as they are written when they are seen: once each, again where a reorg moved one. */
import { Array as Arr, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Deposits } from "../../../ports/store/orders/Deposits.ts"
import type { NamedDeposit } from "../../../ports/store/orders/Deposits.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { JsonText, SqlInt } from "../engine/Columns.ts"
import { writeTogether } from "../WriteTogether.ts"
import type { Write } from "../WriteTogether.ts"
import { storeCall } from "../StoreCall.ts"
import { clearedReservations } from "./InventoryReservations.ts"

export const DepositJson = JsonText(Deposit)

export const decodeSightings = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ deposit: DepositJson, sighting: SqlInt }))
)

export const decodeOpen = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ onchain_id: Hex32, sighting: SqlInt }))
)

/** Of one statement: engines bound its parameters, at 32,766 and 65,535. */
const ROWS = 1_000

/** Of a precedence, so that texts are in the order of their numbers. */
const DIGITS = 78

const encodeDeposit = Schema.encodeEffect(DepositJson)

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

export const recordedDeposits = (sql: SqlClient.SqlClient) => {
  /** SECURITY: of a deposit that is open, only the block is one endpoint's to change (QUORUM-11). */
  const isOpen = sql`deposits.state = 'open'`

  const moved = sql.onDialectOrElse({
    pg: () => sql`jsonb_set(deposits.deposit::jsonb, '{block}', excluded.deposit::jsonb -> 'block')::text`,
    orElse: () => sql`json_set(deposits.deposit, '$.block', json_extract(excluded.deposit, '$.block'))`
  })

  /** `beside`: written in the same transaction. */
  const insertBatch = Effect.fnUntraced(
    function*(batch: Arr.NonEmptyReadonlyArray<NamedDeposit>, seenAt: number, beside: ReadonlyArray<Write> = []) {
      const rows = yield* Effect.forEach(
        batch,
        ({ deposit, precedence }) => rowOf(deposit, "open", seenAt, precedence)
      )
      const inserted = sql`INSERT INTO deposits ${sql.insert(Arr.map(rows, (row) => ({ ...row })))}
        ON CONFLICT (onchain_id) DO UPDATE
          SET state = 'open', deposit = CASE WHEN ${isOpen} THEN ${moved} ELSE excluded.deposit END,
              deposit_id = CASE WHEN ${isOpen} THEN deposits.deposit_id ELSE excluded.deposit_id END,
              precedence = CASE WHEN ${isOpen} THEN deposits.precedence ELSE excluded.precedence END,
              block_hash = excluded.block_hash, sighting = deposits.sighting + 1
          WHERE deposits.state = 'gone' OR (deposits.state = 'open' AND deposits.block_hash <> excluded.block_hash)
             OR (deposits.state = 'foreign' AND deposits.deposit_id <> excluded.deposit_id)
        RETURNING deposit, sighting`
      const fresh = yield* decodeSightings(yield* writeTogether(sql, [...beside, inserted]))
      const sightings = new Map(fresh.map((each) => [each.deposit.onchainId, each]))
      return batch.flatMap(({ deposit: { onchainId } }) => sightings.get(onchainId) ?? [])
    }
  )

  const batchesOf = (deposits: ReadonlyArray<NamedDeposit>) => {
    // A statement must not meet a row of its own.
    const distinct = [...new Map(deposits.map((each) => [each.deposit.onchainId, each])).values()]
    return Arr.chunksOf(distinct, ROWS).filter(Arr.isReadonlyArrayNonEmpty)
  }

  const insert = (deposits: ReadonlyArray<NamedDeposit>, seenAt: number) => {
    return Effect.map(
      Effect.forEach(batchesOf(deposits), (batch) => insertBatch(batch, seenAt)),
      (fresh) => fresh.flat()
    )
  }

  /** `passed`: moves a cursor beyond them. */
  const insertPassed = (deposits: ReadonlyArray<NamedDeposit>, seenAt: number, passed: Write) => {
    const [only, ...others] = batchesOf(deposits)
    if (only === undefined) return Effect.as(passed, [])
    return others.length === 0
      ? insertBatch(only, seenAt, [passed])
      : sql.withTransaction(Effect.tap(insert(deposits, seenAt), () => passed))
  }

  const record: Deposits["Service"]["record"] = (chainId, { hash, height }, deposits, seenAt) =>
    Effect.suspend(() => {
      const at = height.toString()
      const passed = sql`INSERT INTO cursors ${sql.insert({ chain_id: chainId, height: at, hash })}
                 ON CONFLICT (chain_id) DO UPDATE SET height = ${at}, hash = ${hash}`
      return insertPassed(deposits, seenAt, passed)
    }).pipe(storeCall("Deposits.record"))

  const recordFinal: Deposits["Service"]["recordFinal"] = (chainId, { hash, height }, deposits, seenAt) =>
    Effect.suspend(() => {
      const at = height.toString()
      const passed = sql`UPDATE cursors SET final_height = ${at}, final_hash = ${hash} WHERE chain_id = ${chainId}`
      return insertPassed(deposits, seenAt, passed)
    }).pipe(storeCall("Deposits.recordFinal"))

  const note: Deposits["Service"]["note"] = (deposits, seenAt) =>
    sql.withTransaction(insert(deposits, seenAt)).pipe(storeCall("Deposits.note"))

  const correct: Deposits["Service"]["correct"] = Effect.fnUntraced(
    function*(sighting, { deposit, precedence }) {
      const { onchainId } = deposit
      const { deposit: encoded, deposit_id, block_hash, precedence: placed } = yield* rowOf(
        deposit,
        "open",
        0,
        precedence
      )
      const row = sql`onchain_id = ${onchainId} AND sighting = ${sighting}`
      yield* writeTogether(sql, [
        ...clearedReservations(sql, sql`(SELECT deposit_id FROM deposits WHERE ${row})`),
        sql`DELETE FROM exposures WHERE onchain_id IN (SELECT onchain_id FROM deposits WHERE ${row})`,
        sql`UPDATE deposits SET state = 'open', deposit = ${encoded}, deposit_id = ${deposit_id},
              block_hash = ${block_hash}, precedence = ${placed}, sighting = sighting + 1
            WHERE ${row} AND state IN ('open', 'gone')`
      ])
    },
    storeCall("Deposits.correct")
  )

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

  return { record, recordFinal, note, correct, noteForeign }
}
