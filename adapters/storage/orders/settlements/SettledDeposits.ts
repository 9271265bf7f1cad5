/** What is settled is looked at again, because a reorg may pass the hub's finality. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Settlements } from "../../../../ports/store/orders/Settlements.ts"
import type { SettledAt } from "../../../../ports/store/orders/Settlements.ts"
import { Address } from "../../../../src/domain/chain/Address.ts"
import { Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { OrderId } from "../../../../src/domain/order/Order.ts"
import { Millis } from "../../engine/Columns.ts"
import { storeCall } from "../../StoreCall.ts"
import { Chain } from "./Submissions.ts"

const decodeSettled = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  deposit: Hex32,
  order_id: OrderId,
  settled_chain: Chain,
  settled_gate: Address,
  ended_at: Millis,
  check_at: Millis
})))

export const settledDeposits = (sql: SqlClient.SqlClient) => {
  const toCheck: Settlements["Service"]["toCheck"] = (now, limit) =>
    sql`SELECT deposit, order_id, settled_chain, settled_gate, ended_at, check_at FROM settlements
        WHERE check_at IS NOT NULL AND check_at <= ${now} AND state = 'settled' ORDER BY check_at, deposit LIMIT ${limit}`
      .pipe(
        Effect.flatMap(decodeSettled),
        Effect.map((rows) =>
          rows.map(({ check_at, deposit, ended_at, order_id, settled_chain, settled_gate }): SettledAt => ({
            deposit,
            orderId: order_id,
            chainId: settled_chain,
            gate: settled_gate,
            settledAt: ended_at,
            checkAt: check_at
          }))
        ),
        storeCall("Settlements.toCheck")
      )

  // Conditional on what was read: one that was settled anew meanwhile is looked at in its own time.
  const checked: Settlements["Service"]["checked"] = ({ checkAt, deposit }, next) =>
    sql`UPDATE settlements SET check_at = ${
      next ?? null
    } WHERE deposit = ${deposit} AND state = 'settled' AND check_at = ${checkAt}`.pipe(
      Effect.asVoid,
      storeCall("Settlements.checked")
    )

  return { toCheck, checked }
}
