/** The id of a permit's submission, stored where payments have an order id: keccak256 of order and number. */
import { type Hex32, hex32FromDigest } from "../encoding/Hex.ts"
import { keccakText } from "../encoding/StructHash.ts"
import type { OrderId } from "../order/Order.ts"

/** `number` counts the order's submissions from zero. */
export const permitId = (orderId: OrderId, number: number): Hex32 =>
  hex32FromDigest(keccakText(`permit:${orderId}:${number}`))
