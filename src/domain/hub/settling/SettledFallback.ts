/**
 * Until when a fallback settles on the hub (CLAIM-4). A fallback delivers the currency that the order would have
 * swapped. It counts as the order's refund on its destination, to the order's own recipient.
 *
 * SECURITY: the solver loses what no oracle attests. Then there is no fallback, and the deposit is refunded.
 */
import * as Result from "effect/Result"
import type { Address } from "../../chain/Address.ts"
import { refundDue } from "../../evidence/judges/JudgeRefund.ts"
import { weightedDiff } from "../../evidence/judges/SettledInputs.ts"
import type { Order } from "../../order/Order.ts"

/**
 * Indices of the refund options that match it. The first option is the refund on the origin. An order whose calls swap
 * pays the currency of its fallback. One that pays what a swap gives has a refund in another currency.
 */
export const fallbackOptions = ({ inputs, output }: Order, recipient: Address): ReadonlyArray<number> => {
  const [input, ...others] = inputs
  const [payment] = output.payments
  if (input === undefined || others.length > 0 || payment === undefined) return []
  return input.refunds.flatMap((option, index) =>
    index > 0 && option.chainId === output.chainId && option.recipient === recipient &&
      (option.currency === payment.currency || output.calls.length === 0)
      ? [index]
      : []
  )
}

/** A fallback as it would be paid, before it is signed. */
export interface FallbackInKind {
  readonly recipient: Address
  /** The whole deposit, smallest units of the order's input. */
  readonly deposited: bigint
  /** The amount for the recipient, smallest units of the currency that the order pays. */
  readonly amountOut: bigint
}

/** The last block time at which oracles attest it, in seconds. Undefined when they never do. */
export const fallbackUntil = (
  order: Order,
  { amountOut, deposited, recipient }: FallbackInKind
): number | undefined => {
  const [input] = order.inputs
  if (input === undefined) return undefined
  const { amount: requested, weight } = input.payment
  const diff = weightedDiff([{ paid: deposited, requested, weight }])
  const deadlines = fallbackOptions(order, recipient).flatMap((index) => {
    const option = input.refunds[index]
    if (option === undefined) return []
    const due = Result.flatMap(diff, (of) => refundDue(option.minimumAmount, of))
    return Result.isSuccess(due) && due.success <= amountOut ? [option.deadline] : []
  })
  return deadlines.length === 0 ? undefined : Math.max(...deadlines)
}
