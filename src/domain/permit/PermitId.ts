/** What a submission of a permit is known by, where payments name an order: keccak256 of its place. */
import { type Hex32, hex32FromDigest } from "../encoding/Hex.ts"
import { keccakText } from "../encoding/StructHash.ts"
import type { OrderId } from "../order/Order.ts"

/** `number` counts the submissions of the order from zero. */
export const permitId = (orderId: OrderId, number: number): Hex32 =>
  hex32FromDigest(keccakText(`permit:${orderId}:${number}`))
