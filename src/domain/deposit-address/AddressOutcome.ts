/**
 * The outcome of a deposit at a deposit address (ADDRESS-14). It accounts for all of the received money.
 *
 * A schema, so that a durable step can store its verdict. A refund's `state` says whether the refund decides the
 * request's state, or is a separate payment that is shown beside the request's result.
 */
import * as Schema from "effect/Schema"
import { FailReason } from "../transfer/FailReason.ts"

const Units = Schema.BigIntFromString

/** Whether a refund decides its request's state, or is a separate payment ("leg"). */
export const RefundState = Schema.Literals(["decides", "leg"])
export type RefundState = typeof RefundState.Type

/** What is done with a deposit at an address. Amounts are in smallest units. */
export const AddressOutcome = Schema.TaggedUnion({
  /** Pay `amountOut` for the whole deposit. */
  Fill: { amountIn: Units, amountOut: Units },
  /** Pay `amountOut` for the quoted amount. Return the excess in a separate payment. */
  FillWithExcess: { amountIn: Units, amountOut: Units, excess: Units },
  /** The quoted price no longer holds: find out what `amountIn` delivers now, then call `settleReprice`. */
  Reprice: {
    amountIn: Units,
    /**
     * The least that may be paid. `maximumOut` is the most, for an exact output. Smallest units of the destination
     * currency.
     */
    minimumOut: Units,
    maximumOut: Schema.NullOr(Units),
    excess: Units,
    /** The reason of the refund when the price delivers too little. */
    otherwise: FailReason,
    state: RefundState
  },
  /**
   * A deposit after the deadline whose request accepts late deposits: a new order of the same request, with this
   * tolerance in bps.
   */
  NewOrder: { amountIn: Units, slippageBps: Units },
  /** A later deposit at an open address: a new request with its own quote. */
  NewRequest: { amountIn: Units },
  /** All is refunded, less the refund's gas. */
  Refund: { amount: Units, reason: FailReason, state: RefundState },
  /** Nothing was received. A transfer of zero decides nothing. */
  Ignore: {}
})
export type AddressOutcome = typeof AddressOutcome.Type

/** The outcome that needs a new price before it is settled. */
export type Reprice = Extract<AddressOutcome, { readonly _tag: "Reprice" }>
