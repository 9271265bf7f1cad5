/**
 * How much of a deposit is refunded so that the refund settles on the hub (CLAIM-4): the deposit less gas, but not less
 * than the order allows. The order's minimum is proportional to the deposit, but a refund's gas is not. For a deposit
 * below about a third of the quoted amount, gas alone exceeds what may be kept. The solver bears the difference: with a
 * refund that no oracle attests it would lose the whole deposit.
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
  /** The depositor of the deposit. An option with the native sentinel pays it. */
  readonly depositor: Address
  /** The whole deposit, smallest units. */
  readonly deposited: bigint
}

/**
 * Seconds before the option ends that leave time for mining the payment. A stuck payment is replaced within minutes.
 */
export const REFUND_MARGIN_SECONDS = 3_600

/**
 * The index of the refund option of the order's only input: one that names the recipient, else one for the depositor.
 * Undefined when this is not a refund of the order.
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
  // For the judge the sentinel is the depositor, and never an account of its own.
  const named = String(recipient) === nativeCurrency ? -1 : find(recipient)
  const index = named < 0 && recipient === depositor ? find(nativeCurrency) : named
  return index < 0 ? undefined : index
}

/** An option's minimum in proportion to the deposit. Undefined for an order that no oracle can judge. */
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

/** The least refund of a deposit on its origin. The whole deposit when no oracle attests less. */
export const leastRefund = ({ inputs: [input] }: Pick<Order, "inputs">, deposited: bigint): bigint => {
  const minimum = input?.refunds[0]?.minimumAmount
  return (input === undefined || minimum === undefined ? undefined : shareOf(input.payment, minimum, deposited)) ??
    deposited
}

/** The order's conditions for a refund in kind. */
interface Terms {
  /** The option's minimum in smallest units: the least that must be refunded. */
  readonly least: bigint
  /** Seconds: the last block time that is in time. */
  readonly deadline: number
}

/** Undefined when this is not a refund of the order. */
const termsOf = (order: Pick<Order, "inputs">, refund: RefundInKind): Terms | undefined => {
  const index = refundOption(order, refund)
  const [input] = order.inputs
  const option = index === undefined ? undefined : input?.refunds[index]
  if (input === undefined || option === undefined) return undefined
  const least = shareOf(input.payment, option.minimumAmount, refund.deposited)
  return least === undefined ? undefined : { least, deadline: option.deadline }
}

/**
 * The refunded amount, smallest units. `Attestable`: oracles sign for exactly this amount, paid in a block before the
 * order's option ends. Nothing may be signed after `notAfter`, in seconds. `Unattestable`: what is paid is the solver's
 * loss.
 */
export type PlannedRefund =
  | { readonly _tag: "Attestable"; readonly amount: bigint; readonly notAfter: number }
  | { readonly _tag: "Unattestable"; readonly amount: bigint }

/** The facts that decide a refund, besides its order. */
export interface RefundFacts {
  /** What is left of the deposit after the refund's gas, smallest units. Zero when it is not worth the gas. */
  readonly net: bigint
  /** Whether the deposit's transaction can be minted on the hub. Otherwise nothing settles. */
  readonly mintable: boolean
  /** Seconds, rounded up. */
  readonly now: number
}

/**
 * `net` if it settles, or if nothing would. The order's minimum when the solver must bear some of the gas. Never more
 * than was deposited.
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
