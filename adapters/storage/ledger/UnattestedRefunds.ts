/**
 * Unattested refunds in SQL, one text for both engines. One row is locked while the refunds are summed, so that
 * concurrent reservations see each other.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { StoredPayment } from "../../../ports/store/orders/Payments.ts"
import { UNATTESTED_WINDOW_MS, UnattestedRefunds } from "../../../ports/store/ledger/UnattestedRefunds.ts"
import type { RefundDecision } from "../../../ports/store/ledger/UnattestedRefunds.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { JsonText, Millis, SqlInt, UintText } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"

const decodeOwn = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ usd_micros: UintText })))
const decodeSum = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ total: UintText })]))
const decodeHeld = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ deposit: JsonText(Deposit), usd_micros: UintText, held_at: Millis }))
)
const Decision = Schema.Struct({
  onchain_id: Hex32,
  request_id: RequestId,
  allowed_by: Schema.String,
  allowed_at: Millis
})
const decodeDecisions = Schema.decodeUnknownEffect(Schema.Array(Decision))
const decodeTotals = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ chain_id: SqlInt.pipe(Schema.decodeTo(ChainId)), total: UintText }))
)

/** Rows are kept for another window after they stop counting, because workers' clocks differ. */
const KEPT_MS = 2 * UNATTESTED_WINDOW_MS

const toDecision = ({ allowed_at, allowed_by, onchain_id, request_id }: typeof Decision.Type): RefundDecision => ({
  onchainId: onchain_id,
  requestId: request_id,
  by: allowed_by,
  at: allowed_at
})

/** Runs in the transaction that signs a refund. What was reserved for the refund counts as lost from then on, once. */
export const countSigned = Effect.fnUntraced(function*(
  sql: SqlClient.SqlClient,
  { chainId, deposit, leg }: Pick<StoredPayment, "chainId" | "deposit" | "leg">,
  at: number
) {
  if (!leg.startsWith("refund:")) return
  const [row] = yield* decodeOwn(
    yield* sql`UPDATE unattested_refunds SET signed_at = ${at}, reserved_at = ${at} WHERE onchain_id = ${deposit} AND signed_at IS NULL RETURNING usd_micros`
  )
  if (row === undefined) return
  yield* sql`INSERT INTO unattested_totals (chain_id, usd_micros) VALUES (${chainId}, CAST(${row.usd_micros.toString()} AS BIGINT))
             ON CONFLICT (chain_id) DO UPDATE SET usd_micros = unattested_totals.usd_micros + EXCLUDED.usd_micros`
})

export const layer = Layer.effect(
  UnattestedRefunds,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const reserve: UnattestedRefunds["Service"]["reserve"] = ({ onchainId, usdMicros }, cap, at) =>
      sql.withTransaction(Effect.gen(function*() {
        yield* sql`INSERT INTO unattested_refund_lock ${sql.insert({ id: 1, taken: 0 })}
                   ON CONFLICT (id) DO UPDATE SET taken = unattested_refund_lock.taken + 1`
        yield* sql`DELETE FROM unattested_refunds WHERE reserved_at <= ${at - KEPT_MS} AND signed_at IS NULL`
        const since = at - UNATTESTED_WINDOW_MS
        const [kept] = yield* decodeOwn(
          yield* sql`SELECT usd_micros FROM unattested_refunds WHERE onchain_id = ${onchainId} AND reserved_at > ${since}`
        )
        const decided = yield* sql`SELECT onchain_id FROM refunds_allowed WHERE onchain_id = ${onchainId}`
        // No single value is above the cap, so each fits a BIGINT.
        const [{ total: others }] = yield* decodeSum(
          yield* sql`SELECT CAST(COALESCE(SUM(CAST(usd_micros AS BIGINT)), 0) AS TEXT) AS total FROM unattested_refunds
                     WHERE reserved_at > ${since} AND onchain_id <> ${onchainId} AND onchain_id NOT IN (SELECT onchain_id FROM refunds_allowed)`
        )
        const own = kept?.usd_micros ?? usdMicros
        if (decided.length === 0 && others + own > cap) {
          const held = { onchain_id: onchainId, usd_micros: own.toString(), held_at: at }
          yield* sql`INSERT INTO refunds_held ${
            sql.insert(held)
          } ON CONFLICT (onchain_id) DO UPDATE SET usd_micros = ${held.usd_micros}, held_at = ${at}`
          return false
        }
        yield* sql`DELETE FROM refunds_held WHERE onchain_id = ${onchainId}`
        const row = { onchain_id: onchainId, usd_micros: own.toString(), reserved_at: at }
        yield* sql`INSERT INTO unattested_refunds ${sql.insert(row)}
                   ON CONFLICT (onchain_id) DO UPDATE SET usd_micros = ${row.usd_micros}, reserved_at = ${at}`
        return true
      })).pipe(storeCall("UnattestedRefunds.reserve"))

    const decide: UnattestedRefunds["Service"]["decide"] = (decision) =>
      Effect.gen(function*() {
        const { at, by, onchainId, requestId } = decision
        yield* sql`INSERT INTO refunds_allowed ${
          sql.insert({ onchain_id: onchainId, request_id: requestId, allowed_by: by, allowed_at: at })
        }
                   ON CONFLICT (onchain_id) DO NOTHING`
        const [first] = yield* decodeDecisions(
          yield* sql`SELECT onchain_id, request_id, allowed_by, allowed_at FROM refunds_allowed WHERE onchain_id = ${onchainId}`
        )
        return first === undefined ? decision : toDecision(first)
      }).pipe(storeCall("UnattestedRefunds.decide"))

    const decisions: UnattestedRefunds["Service"]["decisions"] = (limit) =>
      sql`SELECT onchain_id, request_id, allowed_by, allowed_at FROM refunds_allowed ORDER BY allowed_at DESC, onchain_id LIMIT ${limit}`
        .pipe(
          Effect.flatMap(decodeDecisions),
          Effect.map((rows) => rows.map(toDecision)),
          storeCall("UnattestedRefunds.decisions")
        )

    const held: UnattestedRefunds["Service"]["held"] = (limit) =>
      sql`SELECT d.deposit, h.usd_micros, h.held_at FROM refunds_held h JOIN deposits d ON d.onchain_id = h.onchain_id
          WHERE d.state = 'unrefundable' ORDER BY h.held_at, h.onchain_id LIMIT ${limit}`.pipe(
        Effect.flatMap(decodeHeld),
        Effect.map((rows) =>
          rows.map(({ deposit, held_at, usd_micros }) => ({ deposit, usdMicros: usd_micros, heldAt: held_at }))
        ),
        storeCall("UnattestedRefunds.held")
      )

    const totals = sql`SELECT chain_id, CAST(usd_micros AS TEXT) AS total FROM unattested_totals ORDER BY chain_id`
      .pipe(
        Effect.flatMap(decodeTotals),
        Effect.map((rows) => rows.map(({ chain_id, total }) => ({ chainId: chain_id, usdMicros: total }))),
        storeCall("UnattestedRefunds.totals")
      )

    return UnattestedRefunds.of({ reserve, decide, decisions, held, totals })
  })
)
