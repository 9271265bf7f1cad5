/** The stored payment that delivers an order, if it is at least signed (`DeliveryOf`). Undefined when there is none. */
import * as Effect from "effect/Effect"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import type { OrderId } from "../../domain/order/Order.ts"
import { deliveryOf } from "../../domain/transfer/payment/DeliveryOf.ts"

export const findDelivery = Effect.fnUntraced(function*(orderId: OrderId) {
  const payments = yield* Payments
  const found = yield* payments.standing(orderId, ["fill", "fallback"], [])
  return deliveryOf(found.payments)
})
