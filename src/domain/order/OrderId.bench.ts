/**
 * From an order as in our quotes to its id: the direct encoder against viem's hashStruct. Both need the families'
 * bytes.
 */
import * as Schema from "effect/Schema"
import { hashStruct } from "viem"
import vectors from "../hub/vectors/settlement.json" with { type: "json" }
import { Order } from "./Order.ts"
import { orderId } from "./OrderId.ts"
import { familyOf } from "./testing/Orders.ts"
import { orderMessage, orderTypes } from "./testing/OrderTypes.ts"

const pinned = Schema.decodeUnknownSync(Order)(vectors.order.order)

export const baseline = "viem's hashStruct"

export const cases = {
  "viem's hashStruct": () => hashStruct({ primaryType: "Order", types: orderTypes, data: orderMessage(pinned) }),
  "orderId": () => orderId(pinned, familyOf)
}
