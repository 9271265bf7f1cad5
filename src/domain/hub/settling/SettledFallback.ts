/**
 * Until when what an order would have had swapped may be delivered as it is, so that it settles on the hub (CLAIM-4):
 * it is the order's refund on its destination, in the currency that the order pays, to the order's own recipient.
 *
 * SECURITY: what no oracle attests is the solver's loss: then nothing falls back, and the deposit goes back.
 */
import * as Result from "effect/Result"
import type { Address } from "../../chain/Address.ts"
import { refundDue } from "../../evidence/judges/JudgeRefund.ts"
import { weightedDiff } from "../../evidence/judges/SettledInputs.ts"
import type { Order } from "../../order/Order.ts"

/** Indices of the refund options that it counts as; the first option is the refund on the origin. */
export const fallbackOptions = ({ inputs, output }: Order, recipient: Address): ReadonlyArray<number> => {
  const [input, ...others] = inputs
  const [payment] = output.payments
  if (input === undefined || others.length > 0 || payment === undefined) return []
  return input.refunds.flatMap((option, index) =>
    index > 0 && option.chainId === output.chainId && option.recipient === recipient &&
      option.currency === payment.currency
      ? [index]
      : []
  )
}

export interface FallbackInKind {
  readonly recipient: Address
  /** All of the deposit, smallest units of the order's input. */
  readonly deposited: bigint
  /** What the recipient gets, smallest units of what the order pays. */
  readonly amountOut: bigint
}

/** The last block time at which oracles attest it, seconds; undefined when they never do. */
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
