/**
 * Checks the order of a quote against the request that it answers (ORDER-7, ORDER-8): who pays, who receives, and what
 * is refunded.
 */
import * as Result from "effect/Result"
import type { Address } from "../../chain/Address.ts"
import { bpsCeil, WHOLE_BPS } from "../../money/Bps.ts"
import type { Order, OrderOutputPayment } from "../../order/Order.ts"
import { encodeRouterCall } from "../../order/RouterCall.ts"
import { automaticSlippageBps, pairClass } from "../pricing/AssetClass.ts"
import { OUTPUT_DEADLINE_SECONDS } from "../assemble/BuildOrder.ts"
import type { ResolvedRequest } from "../request/ResolveRequest.ts"
import { isSend } from "../Send.ts"
import { check, checkEqual } from "./Check.ts"
import type { Check } from "./Check.ts"
import { extraDataOf, isSane, verifyRefunds } from "./VerifyRefunds.ts"
import type { RefundBounds } from "./VerifyRefunds.ts"

/** What the client knows by itself, besides its request. Nothing of it is taken from the quote. */
export interface OrderExpectation extends RefundBounds {
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

const verifyInput = (
  order: Order,
  request: ResolvedRequest,
  expected: OrderExpectation,
  expectedIn?: bigint
): ReadonlyArray<Check> => {
  const [input] = order.inputs
  const { origin, originCurrency } = request
  if (input === undefined || order.inputs.length !== 1) {
    return [check("order inputs", false, `${order.inputs.length} instead of one`)]
  }
  const { amount } = input.payment
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
    ...verifyRefunds(order, request, expected, expectedIn)
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

/** `order` in canonical spelling. `expectedIn` as for `verifyRefunds`. */
export const verifyOrder = (
  order: Order,
  request: ResolvedRequest,
  expected: OrderExpectation,
  expectedIn?: bigint
): ReadonlyArray<Check> => [
  checkEqual("settlement chain", order.solverChainId, expected.settlement),
  checkEqual("solver", order.solver, expected.solver),
  ...verifyInput(order, request, expected, expectedIn),
  ...verifyOutput(order, request, expected),
  checkEqual("fees in the order", order.fees.length, 0)
]
