/**
 * Checks the refund options of a quote's order (ORDER-8): where a refund goes, and how little it may pay.
 *
 * SECURITY: a refund by any option gives the whole deposit to the solver on the hub. What the minimum of the user's own
 * is worth, the quote shows. That on the destination is bounded here (REFUND-15), because no honest quote shows less.
 */
import * as Result from "effect/Result"
import type { Chain } from "../../chain/Chain.ts"
import { encodeExtraData } from "../../order/ExtraData.ts"
import type { Order, OrderRefund } from "../../order/Order.ts"
import { depositorsRefund, REFUND_DEADLINE_SECONDS } from "../assemble/BuildOrder.ts"
import { floorOnDestination } from "../assemble/LeastOnDestination.ts"
import type { ResolvedRequest } from "../request/ResolveRequest.ts"
import { isDestinationSwap } from "../UserSwap.ts"
import { check, checkEqual, unchecked } from "./Check.ts"
import type { Check } from "./Check.ts"

/** The least that the client wants back where the order is not filled. */
export interface RefundBounds {
  /** On the origin, for the deposit that the quote asks for: smallest units of the deposited currency. */
  readonly minimumRefund?: bigint
  /**
   * On the destination, for the same deposit: smallest units of the currency that is refunded there. Needed where the
   * fill itself swaps (Solana): that currency is not the output's, and only the client knows what it is worth.
   */
  readonly minimumRefundOnDestination?: { readonly currency: string; readonly amount: bigint }
}

/** Maximum clock difference, seconds. */
const CLOCK_SLACK = 900

/** A deadline that is not over, and not further away than honest ones. */
export const isSane = (deadline: number, now: number, longest: number): boolean =>
  deadline > now && deadline <= now + longest + CLOCK_SLACK

/** The router that the client knows, as an order names it. */
export const extraDataOf = ({ family, router }: Chain): string =>
  Result.getOrElse(encodeExtraData(family, router), () => "none")

interface RefundOptions {
  /** To the user's own account on the origin, and to the recipient on the destination. */
  readonly own: OrderRefund | undefined
  readonly onDestination: OrderRefund | undefined
  readonly toDepositor: OrderRefund | undefined
  /** How many there are besides the last one for depositors. */
  readonly named: number
}

/** The options of the order's only input, by what they are for. Orders of older quotes have none for depositors. */
export const refundOptionsOf = (
  { inputs: [input] }: Order,
  { origin }: Pick<ResolvedRequest, "origin">
): RefundOptions => {
  const refunds = input?.refunds ?? []
  const last = refunds.at(-1)
  const toDepositor = refunds.length > 1 && last?.recipient === depositorsRefund(origin) ? last : undefined
  const named = toDepositor === undefined ? refunds : refunds.slice(0, -1)
  return { own: named[0], onDestination: named[1], toDepositor, named: named.length }
}

const verifyRefund = (
  name: string,
  refund: OrderRefund,
  chain: Chain,
  recipient: string,
  currency: string,
  most: bigint,
  now: number
): ReadonlyArray<Check> => [
  checkEqual(`${name} chain`, refund.chainId, chain.slug),
  checkEqual(`${name} recipient`, refund.recipient, recipient),
  checkEqual(`${name} currency`, refund.currency, currency),
  check(
    `${name} amount`,
    refund.minimumAmount > 0n && refund.minimumAmount <= most,
    `${refund.minimumAmount} of ${most}`
  ),
  check(`${name} deadline`, isSane(refund.deadline, now, REFUND_DEADLINE_SECONDS), `${refund.deadline}, it is ${now}`),
  checkEqual(`${name} router`, refund.extraData, extraDataOf(chain))
]

/**
 * A stranger's deposit is refunded to its depositor on the terms of the user's own refund. Orders of older quotes have
 * no such option.
 */
const verifyDepositorsRefund = (
  refund: OrderRefund,
  own: OrderRefund,
  chain: Chain,
  most: bigint,
  now: number
): ReadonlyArray<Check> => [
  ...verifyRefund("refund to the depositor", refund, chain, depositorsRefund(chain), own.currency, most, now),
  checkEqual("refund to the depositor minimum", refund.minimumAmount, own.minimumAmount),
  checkEqual("refund to the depositor until", refund.deadline, own.deadline)
]

/** The currency of a refund on the destination where the fill's own transaction swaps: any that the solver holds there. */
const heldBy = ({ currencies }: Chain, named: string): string =>
  currencies.some(({ address }) => address === named) ? named : "one that the solver holds"

const verifyLeastOnDestination = (
  { currency, minimumAmount }: OrderRefund,
  floor: bigint,
  isSwapped: boolean,
  { minimumRefundOnDestination: wanted }: RefundBounds
): ReadonlyArray<Check> => [
  ...(isSwapped ? [] : [
    check("least refund on the destination", minimumAmount >= floor, `${minimumAmount}, no honest quote below ${floor}`)
  ]),
  ...(wanted === undefined && isSwapped
    ? [unchecked(
      "refund on the destination within the client's bound",
      `${minimumAmount} of ${currency}: name minimumRefundOnDestination, or ask with refundOnOrigin`
    )]
    : [check(
      "refund on the destination within the client's bound",
      wanted === undefined || (wanted.currency === currency && minimumAmount >= wanted.amount),
      `${minimumAmount} of ${currency}`
    )])
]

/**
 * `expectedIn`: what the quote shows as the likely deposit of a swap before it, of which the order's input is the
 * minimum. A refund rises with the deposit.
 */
export const verifyRefunds = (
  order: Order,
  request: ResolvedRequest,
  expected: RefundBounds & { readonly now: number },
  expectedIn?: bigint
): ReadonlyArray<Check> => {
  const { destination, destinationCurrency, origin, originCurrency, recipient, refundOnOrigin, refundTo } = request
  const { named, onDestination, own, toDepositor } = refundOptionsOf(order, request)
  const amountIn = order.inputs[0]?.payment.amount ?? 0n
  const [payment] = order.output.payments
  const minimumOut = payment?.minimumAmount ?? 0n
  const isSwapped = isDestinationSwap(request)
  return [
    check("refund options", named >= 1 && named <= (refundOnOrigin ? 1 : 2), `${named}`),
    ...(own === undefined ? [] : [
      ...verifyRefund("refund", own, origin, refundTo, originCurrency.address, amountIn, expected.now),
      check(
        "refund within the client's bound",
        expected.minimumRefund === undefined || own.minimumAmount >= expected.minimumRefund,
        `${own.minimumAmount}`
      )
    ]),
    ...(onDestination === undefined ? [] : [
      ...verifyRefund(
        "refund on the destination",
        onDestination,
        destination,
        recipient,
        isSwapped ? heldBy(destination, onDestination.currency) : destinationCurrency.address,
        isSwapped ? onDestination.minimumAmount : payment?.expectedAmount ?? 0n,
        expected.now
      ),
      ...verifyLeastOnDestination(
        onDestination,
        floorOnDestination(request, { amountIn, expectedIn, minimumOut }),
        isSwapped,
        expected
      )
    ]),
    ...(own === undefined || toDepositor === undefined
      ? []
      : verifyDepositorsRefund(toDepositor, own, origin, amountIn, expected.now))
  ]
}
