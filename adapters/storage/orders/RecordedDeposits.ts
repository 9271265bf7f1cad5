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

export const DepositJson = JsonText(Deposit)

export const decodeOpen = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ onchain_id: Hex32, sighting: SqlInt }))
)

/** Of one statement: engines bound its parameters, at 32,766 and 65,535. */
const ROWS = 1_000

/** Of a precedence, so that texts are in the order of their numbers. */
const DIGITS = 78

const encodeDeposit = Schema.encodeEffect(DepositJson)

export const recordedDeposits = (sql: SqlClient.SqlClient) => {
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

  /** `beside`: written in the same transaction. */
  const insertBatch = Effect.fnUntraced(
    function*(batch: Arr.NonEmptyReadonlyArray<NamedDeposit>, seenAt: number, beside: ReadonlyArray<Write> = []) {
      const rows = yield* Effect.forEach(
        batch,
        ({ deposit, precedence }) => rowOf(deposit, "open", seenAt, precedence)
      )
      const inserted = sql`INSERT INTO deposits ${sql.insert(Arr.map(rows, (row) => ({ ...row })))}
        ON CONFLICT (onchain_id) DO UPDATE
          SET state = 'open', deposit = excluded.deposit, deposit_id = excluded.deposit_id,
              block_hash = excluded.block_hash, precedence = excluded.precedence, sighting = deposits.sighting + 1
          WHERE deposits.state = 'gone' OR (deposits.state = 'open' AND deposits.block_hash <> excluded.block_hash)
             OR (deposits.state = 'foreign' AND deposits.deposit_id <> excluded.deposit_id)
        RETURNING onchain_id, sighting`
      const fresh = yield* writeTogether(sql, [...beside, inserted])
      const sightings = new Map((yield* decodeOpen(fresh)).map((each) => [each.onchain_id, each.sighting]))
      return batch.flatMap(({ deposit }) => {
        const sighting = sightings.get(deposit.onchainId)
        return sighting === undefined ? [] : [{ deposit, sighting }]
      })
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

  return { record, recordFinal, note, noteForeign }
}
