/**
 * Until when a fill of an order settles on the hub (CLAIM-3). It counts as the order's fill if it delivers at least the
 * minimum before the deadline. Otherwise it counts as the order's refund on its destination, if the order has one.
 *
 * SECURITY: the solver loses what no oracle attests, and anybody could cause this for the gas of a deposit: with a
 * deposit after the deadline whose request accepts late ones, or with less than the quoted amount, when the only refund
 * is on the origin.
 */
import * as Result from "effect/Result"
import { refundDue } from "../../evidence/judges/JudgeRefund.ts"
import { weightedDiff } from "../../evidence/judges/SettledInputs.ts"
import type { Order } from "../../order/Order.ts"

/** A fill as it would be paid, before it is signed. */
export interface FillInKind {
  /** The whole deposit, smallest units of the order's input. */
  readonly deposited: bigint
  /** The delivered amount, smallest units of the order's output. */
  readonly amountOut: bigint
}

/**
 * The deadlines, in seconds, of the order's refund options on its destination that this payment satisfies. With calls
 * there are none: then only the router is paid.
 */
const asRefund = ({ inputs, output }: Order, { amountOut, deposited }: FillInKind): ReadonlyArray<number> => {
  const [input, ...others] = inputs
  const [payment] = output.payments
  if (input === undefined || others.length > 0 || payment === undefined || output.calls.length > 0) return []
  const { amount: requested, weight } = input.payment
  const diff = weightedDiff([{ paid: deposited, requested, weight }])
  return input.refunds.flatMap((option, index) => {
    const isPaid = index > 0 && option.chainId === output.chainId && option.recipient === payment.recipient &&
      option.currency === payment.currency
    if (!isPaid) return []
    const due = Result.flatMap(diff, (of) => refundDue(option.minimumAmount, of))
    return Result.isSuccess(due) && due.success <= amountOut ? [option.deadline] : []
  })
}

/** The last block time at which oracles attest it, in seconds. Undefined when they never do. */
export const settlesUntil = (order: Order, fill: FillInKind): number | undefined => {
  const [payment] = order.output.payments
  const asFill = payment !== undefined && fill.amountOut >= payment.minimumAmount ? [order.output.deadline] : []
  const all = [...asFill, ...asRefund(order, fill)]
  return all.length === 0 ? undefined : Math.max(...all)
}
