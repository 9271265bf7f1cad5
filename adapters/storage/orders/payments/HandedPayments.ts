/** A payment that another deposit of its order takes over, and what becomes of the deposit that had it. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Payments } from "../../../../ports/store/orders/Payments.ts"
import { storeCall } from "../../StoreCall.ts"

export const handedPayments = (sql: SqlClient.SqlClient) => {
  const handOver: Payments["Service"]["handOver"] = ({ deposit: from, leg, orderId }, deposit, at) =>
    sql.withTransaction(Effect.gen(function*() {
      const handed = yield* sql`UPDATE payments SET deposit = ${deposit}
          WHERE order_id = ${orderId} AND leg = ${leg} AND deposit = ${from} RETURNING order_id`
      if (handed.length === 0) return false
      // The new sighting prevents that a filling which has seen the deposit as filled closes it so.
      yield* sql`UPDATE deposits SET state = 'gone', sighting = sighting + 1, has_settlement = NULL
          WHERE onchain_id = ${from} AND state IN ('open', 'filled')`
      yield* sql`UPDATE settlements SET state = 'excluded', reason = NULL, leased_until = 0, ended_at = ${at}
          WHERE deposit = ${from} AND state IN ('open', 'refused')`
      yield* sql`UPDATE losses SET deposit = ${deposit}
          WHERE kind = 'payment' AND deposit = ${from} AND transaction_id IN (
            SELECT v.transaction_id FROM payments p
              JOIN payment_variants v ON v.chain_id = p.chain_id AND v.account = p.account AND v.sequence = p.sequence
              WHERE p.order_id = ${orderId} AND p.leg = ${leg})`
      const recovered = yield* sql`UPDATE losses SET recovered_at = ${at}
          WHERE kind = 'deposit' AND deposit = ${from} AND recovered_at IS NULL RETURNING id`
      return recovered.length > 0
    })).pipe(storeCall("Payments.handOver"))

  return { handOver }
}
