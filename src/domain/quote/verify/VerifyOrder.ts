/**
 * Checks the order of a quote against the request that it answers (ORDER-7, ORDER-8): who pays, who receives, and what
 * is refunded.
 */
import * as Result from "effect/Result"
import type { Address } from "../../chain/Address.ts"
import type { Chain } from "../../chain/Chain.ts"
import { bpsCeil, WHOLE_BPS } from "../../money/Bps.ts"
import { encodeExtraData } from "../../order/ExtraData.ts"
import type { Order, OrderOutputPayment, OrderRefund } from "../../order/Order.ts"
import { encodeRouterCall } from "../../order/RouterCall.ts"
import { automaticSlippageBps, pairClass } from "../pricing/AssetClass.ts"
import { depositorsRefund, OUTPUT_DEADLINE_SECONDS, REFUND_DEADLINE_SECONDS } from "../assemble/BuildOrder.ts"
import type { ResolvedRequest } from "../request/ResolveRequest.ts"
import { isDestinationSwap } from "../UserSwap.ts"
import { isSend } from "../Send.ts"
import { check, checkEqual } from "./Check.ts"
import type { Check } from "./Check.ts"

/** What the client knows by itself, besides its request. Nothing of it is taken from the quote. */
export interface OrderExpectation {
  /** The account that must have signed: known to the client, never taken from the quote. */
  readonly solver: Address
  /** Slug of the settlement chain. */
  readonly settlement: string
  /** Seconds. */
  readonly now: number
  /** The most that the client is willing to pay, smallest units of the origin currency. */
  readonly maximumIn?: bigint
  /**
   * For a swap before the deposit: the least deposit that the client wants, smallest units of the deposited currency.
   */
  readonly minimumDeposit?: bigint
  /** The least that the client wants, smallest units of the destination currency. */
  readonly minimumOut?: bigint
}

/** Maximum clock difference, seconds. */
const CLOCK_SLACK = 900

const isSane = (deadline: number, now: number, longest: number): boolean =>
  deadline > now && deadline <= now + longest + CLOCK_SLACK

const extraDataOf = ({ family, router }: Chain): string =>
  Result.getOrElse(encodeExtraData(family, router), () => "none")

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

/**
 * The currency of a refund on the destination where the fill's own transaction swaps: any that the solver holds there.
 * Its amount has no bound, because it is not in the currency of the output.
 */
const heldBy = ({ currencies }: Chain, named: string): string =>
  currencies.some(({ address }) => address === named) ? named : "one that the solver holds"

const verifyInput = (order: Order, request: ResolvedRequest, expected: OrderExpectation): ReadonlyArray<Check> => {
  const [input] = order.inputs
  const { destination, destinationCurrency, origin, originCurrency, recipient, refundOnOrigin, refundTo } = request
  if (input === undefined || order.inputs.length !== 1) {
    return [check("order inputs", false, `${order.inputs.length} instead of one`)]
  }
  const { amount } = input.payment
  const last = input.refunds.at(-1)
  const toDepositor = input.refunds.length > 1 && last?.recipient === depositorsRefund(origin) ? last : undefined
  const named = toDepositor === undefined ? input.refunds : input.refunds.slice(0, -1)
  const [first, second] = named
  const out = order.output.payments[0]?.expectedAmount ?? 0n
  return [
    checkEqual("input chain", input.payment.chainId, origin.slug),
    checkEqual("input currency", input.payment.currency, originCurrency.address),
    checkEqual("input weight", input.payment.weight, 1n),
    // With a swap before the deposit, the input is not the request's amount: VerifyOriginSwap checks the deposit.
    ...(request.paid !== undefined ? [] : [
      request.tradeType === "EXACT_INPUT"
        ? checkEqual("input amount", amount, request.amount)
        : check("input amount", amount > 0n, `${amount}`),
      check(
        "input within the client's bound",
        expected.maximumIn === undefined || amount <= expected.maximumIn,
        `${amount}`
      )
    ]),
    check("refund options", named.length >= 1 && named.length <= (refundOnOrigin ? 1 : 2), `${input.refunds.length}`),
    ...(first === undefined
      ? []
      : verifyRefund("refund", first, origin, refundTo, originCurrency.address, amount, expected.now)),
    ...(second === undefined
      ? []
      : verifyRefund(
        "refund on the destination",
        second,
        destination,
        recipient,
        isDestinationSwap(request) ? heldBy(destination, second.currency) : destinationCurrency.address,
        isDestinationSwap(request) ? second.minimumAmount : out,
        expected.now
      )),
    ...(first === undefined || toDepositor === undefined
      ? []
      : verifyDepositorsRefund(toDepositor, first, origin, amount, expected.now))
  ]
}

const verifyAmounts = (
  { expectedAmount, minimumAmount }: OrderOutputPayment,
  request: ResolvedRequest,
  expected: OrderExpectation
): ReadonlyArray<Check> => {
  const { amount, destinationCurrency, originCurrency, slippage, tradeType } = request
  // A direct payment has no price, so nothing can slip.
  const tolerance = isSend(request)
    ? 0n
    : tradeType === "EXACT_OUTPUT"
    ? 0n
    : slippage ?? automaticSlippageBps(pairClass(originCurrency, destinationCurrency))
  return [
    tradeType === "EXACT_INPUT"
      ? check("output amount", expectedAmount > 0n, `${expectedAmount}`)
      : checkEqual("output amount", expectedAmount, amount),
    checkEqual("minimum output", minimumAmount, bpsCeil(expectedAmount, WHOLE_BPS - tolerance)),
    check(
      "output within the client's bound",
      expected.minimumOut === undefined || minimumAmount >= expected.minimumOut,
      `${minimumAmount}`
    )
  ]
}

const verifyTopup = (
  topup: OrderOutputPayment | undefined,
  { destination, recipient, topup: wanted }: ResolvedRequest
): ReadonlyArray<Check> => {
  if (topup === undefined) return [check("gas topup", wanted === undefined, "none")]
  return [
    check(
      "gas topup",
      wanted !== undefined && topup.minimumAmount > 0n && topup.minimumAmount === topup.expectedAmount,
      `${topup.minimumAmount}`
    ),
    checkEqual("gas topup recipient", topup.recipient, recipient),
    checkEqual("gas topup currency", topup.currency, destination.native.address)
  ]
}

const verifyOutput = (order: Order, request: ResolvedRequest, expected: OrderExpectation): ReadonlyArray<Check> => {
  const { calls, destination, destinationCurrency, recipient } = request
  const { output } = order
  const [payment, topup, ...more] = output.payments
  const wanted = calls.map((call) => Result.getOrElse(encodeRouterCall(call), () => "none"))
  return [
    checkEqual("output chain", output.chainId, destination.slug),
    check("output payments", payment !== undefined && more.length === 0, `${output.payments.length}`),
    ...(payment === undefined ? [] : [
      checkEqual("output recipient", payment.recipient, calls.length === 0 ? recipient : destination.router),
      checkEqual("output currency", payment.currency, destinationCurrency.address),
      ...verifyAmounts(payment, request, expected)
    ]),
    ...verifyTopup(topup, request),
    checkEqual("calls", output.calls.join(), wanted.join()),
    check(
      "output deadline",
      isSane(output.deadline, expected.now, OUTPUT_DEADLINE_SECONDS),
      `${output.deadline}, it is ${expected.now}`
    ),
    checkEqual("output router", output.extraData, extraDataOf(destination))
  ]
}

/** `order` in canonical spelling. */
export const verifyOrder = (
  order: Order,
  request: ResolvedRequest,
  expected: OrderExpectation
): ReadonlyArray<Check> => [
  checkEqual("settlement chain", order.solverChainId, expected.settlement),
  checkEqual("solver", order.solver, expected.solver),
  ...verifyInput(order, request, expected),
  ...verifyOutput(order, request, expected),
  checkEqual("fees in the order", order.fees.length, 0)
]
