/**
 * Arrivals at the solver in SQL, one text for both engines. A credit is posted in the transaction that stores the
 * arrival.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Credits } from "../../../ports/store/ledger/Credits.ts"
import type { Arrival, RecordedArrival } from "../../../ports/store/ledger/Credits.ts"
import { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { notCreditedReasons } from "../../../src/domain/ledger/JudgeCredit.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { StoredBlockRef } from "../../../src/domain/transfer/deposit/StoredBlockRef.ts"
import { JsonText, UintText } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"

const Row = Schema.Struct({
  transaction_id: TransactionId,
  sender: Address,
  block: JsonText(StoredBlockRef),
  amount: UintText,
  wallet: Schema.NullOr(Address),
  reason: Schema.NullOr(Schema.Literals(notCreditedReasons))
})

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
const encodeRow = Schema.encodeEffect(Row)
const decodeCursors = Schema.decodeUnknownEffect(Schema.Array(Cursor))

const toRow = ({ amount, block, outcome, sender, transactionId }: Arrival): typeof Row.Type => ({
  transaction_id: transactionId,
  sender,
  block,
  amount,
  wallet: outcome._tag === "Credited" ? outcome.wallet : null,
  reason: outcome._tag === "Credited" ? null : outcome.reason
})

const toRecorded = (row: typeof Row.Type): RecordedArrival => ({
  transactionId: row.transaction_id,
  sender: row.sender,
  block: row.block,
  amount: row.amount,
  wallet: row.wallet ?? undefined,
  reason: row.reason ?? undefined
})

export const layer = Layer.effect(
  Credits,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const ledger = yield* Ledger

    const cursor: Credits["Service"]["cursor"] = (chainId) =>
      sql`SELECT height, hash FROM credit_cursors WHERE chain_id = ${chainId}`.pipe(
        Effect.flatMap(decodeCursors),
        Effect.map(([row]) => row),
        storeCall("Credits.cursor")
      )

    const anchor: Credits["Service"]["anchor"] = (chainId, { hash, height }) =>
      sql`INSERT INTO credit_cursors ${sql.insert({ chain_id: chainId, height: height.toString(), hash })}
          ON CONFLICT (chain_id) DO NOTHING`.pipe(Effect.asVoid, storeCall("Credits.anchor"))

    /** True when the transaction was not recorded before. */
    const keep = Effect.fnUntraced(function*(chainId: ChainId, arrival: Arrival, at: number) {
      const row = { chain_id: chainId, ...(yield* encodeRow(toRow(arrival))), seen_at: at }
      const kept = yield* sql`INSERT INTO credits ${
        sql.insert(row)
      } ON CONFLICT (chain_id, transaction_id) DO NOTHING RETURNING transaction_id`
      return kept.length > 0
    }, storeCall("Credits.keep"))

    const moveCursor = (chainId: ChainId, { hash, height }: Cursor) =>
      sql`UPDATE credit_cursors SET height = ${height.toString()}, hash = ${hash} WHERE chain_id = ${chainId}`.pipe(
        storeCall("Credits.moveCursor")
      )

    const record: Credits["Service"]["record"] = (chainId, to, arrivals, at) =>
      sql.withTransaction(Effect.gen(function*() {
        const fresh: Array<Arrival> = []
        for (const arrival of arrivals) {
          if (!(yield* keep(chainId, arrival, at))) continue
          fresh.push(arrival)
          const { outcome } = arrival
          // The domain has built this movement, so the ledger accepts it.
          if (outcome._tag === "Credited") {
            yield* Effect.catchTag(ledger.post(outcome.movement, at), "LedgerRefused", (refused) => Effect.die(refused))
          }
        }
        yield* moveCursor(chainId, to)
        return fresh
      })).pipe(
        Effect.catchTag("StoreUnavailable", (unavailable) => Effect.succeed(unavailable)),
        storeCall("Credits.record"),
        Effect.flatMap((result) => result instanceof StoreUnavailable ? Effect.fail(result) : Effect.succeed(result))
      )

    const list: Credits["Service"]["list"] = (chainId) =>
      sql`SELECT transaction_id, sender, block, amount, wallet, reason FROM credits
          WHERE chain_id = ${chainId} ORDER BY seen_at, transaction_id`.pipe(
        Effect.flatMap(decodeRows),
        Effect.map((rows) => rows.map(toRecorded)),
        storeCall("Credits.list")
      )

    return Credits.of({ cursor, anchor, record, list })
  })
)
