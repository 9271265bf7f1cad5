/** Restorations in SQL, one text for both engines; and how a store is marked as restored. */
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Restorations } from "../../../ports/store/operations/Restorations.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { JsonText, Millis, SqlCount, SqlInt, UintText } from "../engine/Columns.ts"
import { accountSequences } from "../orders/payments/AccountSequences.ts"
import { storeCall } from "../StoreCall.ts"

const Row = Schema.Struct({
  chain_id: SqlInt.pipe(Schema.decodeTo(ChainId)),
  height: UintText,
  restored_at: Millis
})
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
const decodeFences = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ fence: Schema.NullOr(Schema.String) })))

/** The fences of a chain's accounts, in one column. */
const Fences = JsonText(Schema.Record(Schema.String, UintText))
const encodeFences = Schema.encodeEffect(Fences)
const decodeKept = Schema.decodeUnknownOption(Fences)

/**
 * Earlier versions wrote one number, for the one account that paid then. It is not used: a fence that is set again is
 * only higher.
 */
const fencesIn = (column: string | null): Readonly<Record<string, bigint>> =>
  Option.getOrElse(decodeKept(column), () => ({}))

const decodeCounts = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ count: SqlCount })))

/** More than the clocks of the restoring and the running process differ. */
const CLOCKS_MS = 60_000

/**
 * Marks a store as restored, before a process runs on it. On every chain that it has scanned, nothing is signed until
 * everything sent after the backup is accounted for. No address of the backup's stock is given away again. A
 * restoration that is still open keeps its starting height. `at` in milliseconds.
 */
export const markRestored = Effect.fnUntraced(function*(at: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO restorations (chain_id, height, restored_at)
             SELECT chain_id, height, CAST(${at} AS BIGINT) FROM cursors WHERE true
             ON CONFLICT (chain_id) DO UPDATE SET
               height = CASE WHEN restorations.settled_at IS NULL THEN restorations.height ELSE excluded.height END,
               restored_at = excluded.restored_at, fence = NULL, settled_at = NULL`
  // The lost store may have given these to orders that this store does not know.
  yield* sql`DELETE FROM deposit_keys WHERE order_id IS NULL`
})

export const layer = Layer.effect(
  Restorations,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { lockSequence, takeSequence } = accountSequences(sql)

    const open = sql`SELECT chain_id, height, restored_at FROM restorations WHERE settled_at IS NULL ORDER BY chain_id`
      .pipe(
        Effect.flatMap(decodeRows),
        Effect.map((rows) =>
          rows.map(({ chain_id, height, restored_at }) => ({ chainId: chain_id, height, restoredAt: restored_at }))
        ),
        storeCall("Restorations.open")
      )

    const unanswered: Restorations["Service"]["unanswered"] = ({ restoredAt }) =>
      sql`SELECT (SELECT COUNT(*) FROM deposits WHERE state = 'open' OR seen_at >= ${restoredAt - CLOCKS_MS})
                   + (SELECT COUNT(*) FROM payouts WHERE state = 'open') AS count`.pipe(
        Effect.flatMap(decodeCounts),
        Effect.map(([row]) => row?.count ?? 0),
        storeCall("Restorations.unanswered")
      )

    const fenceAt: Restorations["Service"]["fenceAt"] = (chainId, account, fence) =>
      sql.withTransaction(Effect.gen(function*() {
        // The row is locked until the end: of two workers the second finds what the first has set.
        const rows = yield* sql`UPDATE restorations SET fence = fence WHERE chain_id = ${chainId} RETURNING fence`
        const [row] = yield* decodeFences(rows)
        const before = fencesIn(row?.fence ?? null)
        const kept = before[account]
        if (kept !== undefined) return kept
        const text = yield* encodeFences({ ...before, [account]: fence })
        yield* sql`UPDATE restorations SET fence = ${text} WHERE chain_id = ${chainId}`
        return fence
      })).pipe(storeCall("Restorations.fenceAt"))

    const settle: Restorations["Service"]["settle"] = (chainId, usedUp, at) =>
      sql.withTransaction(Effect.gen(function*() {
        for (const { account, fence } of usedUp) {
          const next = yield* lockSequence(chainId, account, fence)
          if (next > 0n) yield* takeSequence(chainId, account, next - 1n)
        }
        yield* sql`UPDATE restorations SET settled_at = ${at} WHERE chain_id = ${chainId}`
      })).pipe(storeCall("Restorations.settle"))

    return Restorations.of({ open, unanswered, fenceAt, settle })
  })
)
