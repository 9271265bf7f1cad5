/** Sighted deposits and scanning cursors in SQL, one text for both engines. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Cursor } from "../../ports/DepositWatcher.ts"
import { Deposits } from "../../ports/Deposits.ts"
import { Deposit } from "../../src/domain/transfer/Deposit.ts"
import { JsonText } from "./engine/Columns.ts"
import { storeCall } from "./StoreCall.ts"

const DepositJson = JsonText(Deposit)
const decodeDeposits = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ deposit: DepositJson })))
const decodeCursors = Schema.decodeUnknownEffect(Schema.Array(Cursor))
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
      sql`INSERT INTO cursors ${sql.insert({ chain_id: chainId, height: height.toString(), hash })}
          ON CONFLICT (chain_id) DO NOTHING`.pipe(Effect.asVoid, storeCall("Deposits.anchor"))

    const insert = Effect.fnUntraced(function*(deposit: Deposit, seenAt: number) {
      const row = {
        onchain_id: deposit.onchainId,
        chain_id: deposit.chainId,
        transaction_id: deposit.transactionId,
        deposit_id: deposit.depositId,
        deposit: yield* encodeDeposit(deposit),
        state: "open",
        seen_at: seenAt
      }
      // A deposit that a reorganisation took away and a later block brought back is open again.
      const rows = yield* sql`INSERT INTO deposits ${sql.insert(row)}
        ON CONFLICT (onchain_id) DO UPDATE SET state = 'open', deposit = ${row.deposit} WHERE deposits.state = 'gone'
        RETURNING onchain_id`
      return rows.length > 0
    })

    const record: Deposits["Service"]["record"] = (chainId, { hash, height }, deposits, seenAt) =>
      sql.withTransaction(Effect.gen(function*() {
        const fresh = yield* Effect.filter(deposits, (deposit) => insert(deposit, seenAt))
        const at = height.toString()
        yield* sql`INSERT INTO cursors ${sql.insert({ chain_id: chainId, height: at, hash })}
                   ON CONFLICT (chain_id) DO UPDATE SET height = ${at}, hash = ${hash}`
        return fresh
      })).pipe(storeCall("Deposits.record"))

    const find: Deposits["Service"]["find"] = (onchainId) =>
      sql`SELECT deposit FROM deposits WHERE onchain_id = ${onchainId}`.pipe(
        Effect.flatMap(decodeDeposits),
        Effect.map((rows) => rows[0]?.deposit),
        storeCall("Deposits.find")
      )

    const open = sql`SELECT deposit FROM deposits WHERE state = 'open' ORDER BY seen_at, onchain_id`.pipe(
      Effect.flatMap(decodeDeposits),
      Effect.map((rows) => rows.map((row) => row.deposit)),
      storeCall("Deposits.open")
    )

    const close: Deposits["Service"]["close"] = (onchainId, state) =>
      sql`UPDATE deposits SET state = ${state} WHERE onchain_id = ${onchainId}`.pipe(
        Effect.asVoid,
        storeCall("Deposits.close")
      )

    return Deposits.of({ cursor, anchor, record, find, open, close })
  })
)
