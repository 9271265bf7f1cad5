/**
 * How much of a deposit goes back, so that the refund settles on the hub (spec/4 §5.3): less its gas, but not below what the
 * order allows. The order's minimum falls in proportion to what was deposited, the gas of a refund does not: of a deposit
 * of less than about a third of the quoted amount the gas alone is more than may be kept. What is beyond is the solver's to
 * bear: by a refund that no oracle attests it would lose all of the deposit.
 */
import * as Result from "effect/Result"
import type { Address } from "../chain/Address.ts"
import type { ChainSlug } from "../chain/ChainId.ts"
import { refundDue } from "../evidence/JudgeRefund.ts"
import { weightedDiff } from "../evidence/SettledInputs.ts"
import type { Order } from "../order/Order.ts"

/** A refund in the currency of its deposit, on the deposit's chain. */
export interface RefundInKind {
  readonly chain: ChainSlug
  readonly currency: string
  readonly recipient: Address
  /** All of the deposit, smallest units. */
  readonly deposited: bigint
}

/** Which of the refund options of the order's only input this is; undefined when it is no refund of the order. */
export const refundOption = ({ inputs }: Order, { chain, currency, recipient }: Omit<RefundInKind, "deposited">): number | undefined => {
  const [input, ...others] = inputs
  if (input === undefined || others.length > 0 || input.payment.chainId !== chain || input.payment.currency !== currency) return undefined
  const index = input.refunds.findIndex((each) => each.chainId === chain && each.currency === currency && each.recipient === recipient)
  return index < 0 ? undefined : index
}

/** The least that an order's refund in kind may be; undefined when it is no refund of the order. Smallest units. */
const leastRefund = (order: Order, refund: RefundInKind): bigint | undefined => {
  const index = refundOption(order, refund)
  const [input] = order.inputs
  const option = index === undefined ? undefined : input?.refunds[index]
  if (input === undefined || option === undefined) return undefined
  const { amount: requested, weight } = input.payment
  const due = Result.flatMap(weightedDiff([{ paid: refund.deposited, requested, weight }]), (diff) => refundDue(option.minimumAmount, diff))
  return Result.isSuccess(due) ? due.success : undefined
}

/**
 * What goes back of a deposit of which `net` is left after the refund's gas, smallest units: `net` where that settles, or
 * where nothing would; never more than was deposited. Nothing of what is not worth its gas: `net` is zero then.
 */
export const settledRefund = (order: Order, refund: RefundInKind, net: bigint): bigint => {
  const least = net === 0n ? undefined : leastRefund(order, refund)
  return least === undefined || least <= net || least > refund.deposited ? net : least
}
