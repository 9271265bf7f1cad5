/** How much less than its deposit the refund of an order may be whose fill runs strangers' code, stored as it was quoted. */
import * as Schema from "effect/Schema"

/** Smallest units of the origin currency: for the refund's gas, and for one reverted fill. */
export const RefundBounds = Schema.Struct({ gas: Schema.BigIntFromString, calls: Schema.BigIntFromString })
export type RefundBounds = typeof RefundBounds.Type
