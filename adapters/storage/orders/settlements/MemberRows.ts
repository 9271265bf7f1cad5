/** The columns of a deposit that a submission settles. */
import type { Schema } from "effect"
import { Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { OrderId } from "../../../../src/domain/order/Order.ts"
import { SqlCount } from "../../engine/Columns.ts"

export const member = { deposit: Hex32, order_id: OrderId, attempts: SqlCount, failures: SqlCount }

export const toMember = ({ attempts, deposit, failures, order_id }: Schema.Struct<typeof member>["Type"]) => ({
  deposit,
  orderId: order_id,
  attempts,
  failures
})
