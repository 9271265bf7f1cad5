/** What the refund of an order with txs may lack of its deposit, kept as it was quoted. */
import * as Schema from "effect/Schema"

/** Smallest units of the origin currency: for the gas of it, and for one fill that reverts. */
export const RefundBounds = Schema.Struct({ gas: Schema.BigIntFromString, calls: Schema.BigIntFromString })
export type RefundBounds = typeof RefundBounds.Type
