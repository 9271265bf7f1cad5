/**
 * Until when a fill of an order may be made, so that it settles on the hub (CLAIM-3): as the order's fill, of at least
 * its minimum and until its deadline; or, below or after these, as the order's refund on its destination, where it has
 * one.
 *
 * SECURITY: what no oracle attests is the solver's loss, and anybody can have it made for the gas of a deposit: by one
 * after the deadline whose request takes late ones, or by less than was quoted, with a refund on the origin alone.
 */
import * as Result from "effect/Result"
import { refundDue } from "../../evidence/judges/JudgeRefund.ts"
import { weightedDiff } from "../../evidence/judges/SettledInputs.ts"
import type { Order } from "../../order/Order.ts"

export interface FillInKind {
  /** All of the deposit, smallest units of the order's input. */
  readonly deposited: bigint
  /** What is delivered, smallest units of the order's output. */
  readonly amountOut: bigint
}

/**
 * The deadlines of the order's refunds on its destination that this delivers, seconds. With calls the router is paid,
 * and nobody else.
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

/** The last block time at which oracles attest it, seconds; undefined when they never do. */
export const settlesUntil = (order: Order, fill: FillInKind): number | undefined => {
  const [payment] = order.output.payments
  const asFill = payment !== undefined && fill.amountOut >= payment.minimumAmount ? [order.output.deadline] : []
  const all = [...asFill, ...asRefund(order, fill)]
  return all.length === 0 ? undefined : Math.max(...all)
}
