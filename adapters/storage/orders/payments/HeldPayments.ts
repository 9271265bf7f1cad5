/** What is known of an order's payments, and on which chains more may have been paid since a restored backup. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { PaymentsHeld } from "../../../../ports/store/orders/Payments.ts"
import type { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { storeCall } from "../../StoreCall.ts"
import { paymentReader } from "./PaymentRows.ts"

export const heldPayments = (sql: SqlClient.SqlClient) => {
  const { readStanding } = paymentReader(sql)

  const isHeld = (chainId: ChainId) =>
    Effect.map(
      sql`SELECT chain_id FROM restorations WHERE chain_id = ${chainId} AND settled_at IS NULL`,
      (rows) => rows.length > 0
    )

  const refuseHeld: Payments["Service"]["refuseHeld"] = ({ id, slug }) =>
    Effect.flatMap(
      isHeld(id).pipe(storeCall("Payments.refuseHeld")),
      (held) => held ? Effect.fail(new PaymentsHeld({ chain: slug })) : Effect.void
    )

  const standing: Payments["Service"]["standing"] = (orderId, legs, chains) =>
    readStanding(orderId, legs, chains.map(({ id }) => id)).pipe(
      Effect.map(({ hasRefund, held, payments }) => {
        const chain = chains.find(({ id }) => id === held)
        return { payments, hasRefund, held: chain === undefined ? undefined : new PaymentsHeld({ chain: chain.slug }) }
      }),
      storeCall("Payments.standing")
    )

  return { refuseHeld, standing }
}
