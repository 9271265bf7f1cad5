/**
 * What becomes of a deposit at a deposit address (ADDRESS-14): one of these, and of all of the money that came.
 *
 * A schema, so that a durable step can store its verdict. `state` of a refund says whether it decides the request's
 * state or is a leg of its own, shown beside whatever the request became.
 */
import * as Schema from "effect/Schema"
import { FailReason } from "../transfer/FailReason.ts"

const Units = Schema.BigIntFromString

/** Whether a refund decides its request's state, or is a leg of its own. */
export const RefundState = Schema.Literals(["decides", "leg"])
export type RefundState = typeof RefundState.Type

export const AddressOutcome = Schema.TaggedUnion({
  /** Pay `amountOut` for the whole deposit. */
  Fill: { amountIn: Units, amountOut: Units },
  /** Pay `amountOut` for the quoted amount and give the rest back, in a leg of its own. */
  FillWithExcess: { amountIn: Units, amountOut: Units, excess: Units },
  /** The quoted price does not hold: see what `amountIn` delivers now, then `settleReprice`. */
  Reprice: {
    amountIn: Units,
    /** Paid at least, or not at all; and at most, for an exact output. Smallest units of the destination currency. */
    minimumOut: Units,
    maximumOut: Schema.NullOr(Units),
    excess: Units,
    /** Why it is refunded when the price delivers too little. */
    otherwise: FailReason,
    state: RefundState
  },
  /**
   * A deposit after the deadline whose request accepts one: a new order of the same request, with this tolerance in
   * bps.
   */
  NewOrder: { amountIn: Units, slippageBps: Units },
  /** A further deposit at an open address: a request of its own, quoted anew. */
  NewRequest: { amountIn: Units },
  /** Everything goes back, less the refund's gas. */
  Refund: { amount: Units, reason: FailReason, state: RefundState },
  /** Nothing was received: a transfer of zero decides nothing. */
  Ignore: {}
})
export type AddressOutcome = typeof AddressOutcome.Type

/** The outcome that asks for a new price before it is settled. */
export type Reprice = Extract<AddressOutcome, { readonly _tag: "Reprice" }>
