/**
 * How much of a deposit goes back, so that the refund settles on the hub (CLAIM-4): less its gas, but not below what
 * the order allows. The order's minimum falls in proportion to what was deposited, the gas of a refund does not: of a
 * deposit of less than about a third of the quoted amount the gas alone is more than may be kept. What is beyond is the
 * solver's to bear: by a refund that no oracle attests it would lose all of the deposit.
 */
import * as Result from "effect/Result"
import type { Address } from "../../chain/Address.ts"
import { refundDue } from "../../evidence/judges/JudgeRefund.ts"
import { weightedDiff } from "../../evidence/judges/SettledInputs.ts"
import type { Order } from "../../order/Order.ts"
import { type ChainRef, codecOf } from "../ChainRef.ts"

/** A refund in the currency of its deposit, on the deposit's chain. */
export interface RefundInKind {
  readonly chain: ChainRef
  readonly currency: string
  readonly recipient: Address
  /** Whom the deposit names: an option of the native sentinel is its. */
  readonly depositor: Address
  /** All of the deposit, smallest units. */
  readonly deposited: bigint
}

/**
 * When there is room for a payment to be mined before the option ends, seconds; a payment that is stuck is replaced
 * within minutes.
 */
export const REFUND_MARGIN_SECONDS = 3_600

/**
 * Which of the refund options of the order's only input this is: one that names the recipient, else one that goes to
 * the depositor; undefined when it is no refund of the order.
 */
export const refundOption = (
  { inputs }: Pick<Order, "inputs">,
  { chain, currency, depositor, recipient }: Omit<RefundInKind, "deposited">
): number | undefined => {
  const [input, ...others] = inputs
  if (
    input === undefined || others.length > 0 || input.payment.chainId !== chain.slug ||
    input.payment.currency !== currency
  ) return undefined
  const { nativeCurrency } = codecOf(chain)
  const find = (to: string) =>
    input.refunds.findIndex((each) =>
      each.chainId === chain.slug && each.currency === currency && each.recipient === to
    )
  // By the judge the sentinel is the depositor, and never an account of its own.
  const named = String(recipient) === nativeCurrency ? -1 : find(recipient)
  const index = named < 0 && recipient === depositor ? find(nativeCurrency) : named
  return index < 0 ? undefined : index
}

/** What an option's minimum comes to for what was deposited; undefined for an order that no oracle judges. */
const shareOf = (
  { amount: requested, weight }: Order["inputs"][number]["payment"],
  minimumAmount: bigint,
  deposited: bigint
): bigint | undefined => {
  const due = Result.flatMap(
    weightedDiff([{ paid: deposited, requested, weight }]),
    (diff) => refundDue(minimumAmount, diff)
  )
  return Result.isSuccess(due) ? due.success : undefined
}

/** The least of a deposit that goes back on its origin: all of it where no oracle attests less. */
export const leastRefund = ({ inputs: [input] }: Order, deposited: bigint): bigint => {
  const minimum = input?.refunds[0]?.minimumAmount
  return (input === undefined || minimum === undefined ? undefined : shareOf(input.payment, minimum, deposited)) ??
    deposited
}

/** What of an order a refund in kind has to keep to. */
interface Terms {
  /** Of the option, smallest units: what has to go back at least. */
  readonly least: bigint
  /** Seconds: the last block time that is in time. */
  readonly deadline: number
}

/** Undefined when it is no refund of the order. */
const termsOf = (order: Pick<Order, "inputs">, refund: RefundInKind): Terms | undefined => {
  const index = refundOption(order, refund)
  const [input] = order.inputs
  const option = index === undefined ? undefined : input?.refunds[index]
  if (input === undefined || option === undefined) return undefined
  const least = shareOf(input.payment, option.minimumAmount, refund.deposited)
  return least === undefined ? undefined : { least, deadline: option.deadline }
}

/**
 * What goes back, smallest units. `Attestable`: paid to the unit, in a block until the order's option ends, oracles
 * sign for it; nothing of it is to be signed after `notAfter`, in seconds. `Unattestable`: what is paid of it is the
 * solver's loss.
 */
export type PlannedRefund =
  | { readonly _tag: "Attestable"; readonly amount: bigint; readonly notAfter: number }
  | { readonly _tag: "Unattestable"; readonly amount: bigint }

/** What a refund is decided by besides its order. */
export interface RefundFacts {
  /** What is left of the deposit after the refund's gas, smallest units: zero when it is not worth it. */
  readonly net: bigint
  /** Whether the deposit's transaction can be minted on the hub: without that nothing settles. */
  readonly mintable: boolean
  /** Seconds, rounded up. */
  readonly now: number
}

/**
 * `net` where that settles, or where nothing would; what the order asks for where the solver has to bear some of the
 * gas; never more than was deposited.
 */
export const planSettledRefund = (
  order: Pick<Order, "inputs">,
  refund: RefundInKind,
  { mintable, net, now }: RefundFacts
): PlannedRefund => {
  const terms = net === 0n || !mintable ? undefined : termsOf(order, refund)
  if (terms === undefined || terms.least > refund.deposited) return { _tag: "Unattestable", amount: net }
  const notAfter = terms.deadline - REFUND_MARGIN_SECONDS
  if (now > notAfter) return { _tag: "Unattestable", amount: net }
  return { _tag: "Attestable", amount: terms.least > net ? terms.least : net, notAfter }
}
