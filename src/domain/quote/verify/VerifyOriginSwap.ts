/**
 * Checks a quote whose user swaps before the deposit against its order: the one call may give the SwapDepositor no more
 * than the requested amount, may name only this order and a router that the client knows, and must deposit the order's
 * minimum.
 *
 * SECURITY: the solver chooses the source and the call of its router, so the result is never `ok` as a whole: the
 * calldata is `unchecked`. The possible cost is bounded: the amount is spent, or the minimum is deposited for the user.
 * Only the client can know what that minimum is worth (`minimumDeposit`), since the shown amounts that it is compared
 * with come from the solver.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { abiAddress, abiBytes, abiBytes32, abiTuple, abiUint, decodeAbi } from "../../encoding/Abi.ts"
import type { Address } from "../../chain/Address.ts"
import { HexFromString } from "../../encoding/Hex.ts"
import type { Order, OrderId } from "../../order/Order.ts"
import { bpsCeil, WHOLE_BPS, zeroBps } from "../../money/Bps.ts"
import type { Bps } from "../../money/Bps.ts"
import { asDeposited } from "../OriginSwap.ts"
import type { ResolvedRequest } from "../request/ResolveRequest.ts"
import type { Quote, WireProtocol } from "../wire/Quote.ts"
import type { Step } from "../wire/Step.ts"
import type { TransactionData } from "../wire/TransactionData.ts"
import { check, checkEqual, unchecked } from "./Check.ts"
import type { Check } from "./Check.ts"
import { verifyFees, verifyPayment } from "./VerifyFigures.ts"
import { verifyOrder } from "./VerifyOrder.ts"
import type { OrderExpectation } from "./VerifyOrder.ts"
import {
  allowedApproval,
  isRouter,
  verifyEnvelope,
  verifyItems
} from "../../families/ethereum/verify/VerifyEvmSteps.ts"
import { verifyBookkeeping } from "./StepVerifier.ts"
import type { StepVerifier } from "./StepVerifier.ts"

/** `swapAndDeposit` of the SwapDepositor. */
const SWAP_AND_DEPOSIT = "246dd820"

const shape = abiTuple({
  swap: abiTuple({
    input: abiAddress,
    amount: abiUint(256),
    output: abiAddress,
    minimum: abiUint(256),
    orderId: abiBytes32,
    router: abiAddress,
    data: abiBytes
  })
})

const decodeHex = Schema.decodeUnknownResult(HexFromString)

/** The arguments of the SwapDepositor's call. Undefined for another call, or another encoding. */
const callOf = (data: string) => {
  const body = decodeHex(`0x${data.slice(10)}`.toLowerCase())
  if (!data.toLowerCase().startsWith(`0x${SWAP_AND_DEPOSIT}`) || Result.isFailure(body)) return undefined
  const decoded = decodeAbi(shape, body.success)
  return Result.isSuccess(decoded) ? decoded.success.swap : undefined
}

interface Expected {
  readonly request: ResolvedRequest
  readonly order: Order
  readonly orderId: OrderId
  readonly depositor: Address
  readonly maximumIn: bigint | undefined
}

const verifyAmountIn = (name: string, amount: bigint, { maximumIn, request }: Expected): ReadonlyArray<Check> => [
  request.tradeType === "EXACT_INPUT"
    ? checkEqual(`${name} amount`, amount, request.amount)
    : check(`${name} amount`, amount > 0n, `${amount}`),
  check(`${name} within the client's bound`, maximumIn === undefined || amount <= maximumIn, `${amount}`)
]

const verifyCall = (name: string, data: TransactionData, expected: Expected): ReadonlyArray<Check> => {
  const { depositor, order, orderId, request: { origin, originCurrency } } = expected
  const call = "maxFeePerGas" in data ? callOf(data.data) : undefined
  if (call === undefined) return [check(name, false, "no call of the SwapDepositor")]
  const { payment } = order.inputs[0] ?? {}
  return [
    ...verifyEnvelope(name, data, depositor, originCurrency.isNative ? call.amount : 0n, expected.request),
    checkEqual(`${name} input`, call.input, originCurrency.address),
    ...verifyAmountIn(name, call.amount, expected),
    checkEqual(`${name} output`, call.output, payment?.currency),
    checkEqual(`${name} minimum`, call.minimum, payment?.amount),
    checkEqual(`${name} names the order`, call.orderId, orderId),
    check(`${name} router`, isRouter(origin, call.router), call.router),
    unchecked(`${name} swap`, "the call of a swap source's router is not verified by this version: simulate it")
  ]
}

const verifyStep = (step: Step, amount: bigint, expected: Expected): ReadonlyArray<Check> => {
  if (step.kind === "transaction" && step.id === "deposit") {
    return [
      check("deposit items", step.items.length === 1, `${step.items.length}`),
      ...step.items.flatMap(({ data }, index) => verifyCall(`deposit ${index}`, data, expected))
    ]
  }
  return step.kind === "transaction" && step.id === "approve" && !expected.request.originCurrency.isNative
    ? [
      check("approve items", step.items.length <= 2, `${step.items.length}`),
      ...verifyItems(step, allowedApproval({ amount, request: expected.request }, expected.depositor), expected.request)
    ]
    : [unchecked(`step ${step.id}`, "a swap before the deposit needs no other step than an approval and itself")]
}

const isUnits = (text: string | undefined): text is string => text !== undefined && /^[0-9]{1,78}$/.test(text)

/** The amount that the deposit step takes; zero when it cannot be read. */
const amountOf = (steps: ReadonlyArray<Step>): bigint =>
  steps.flatMap((step) =>
    step.kind === "transaction" && step.id === "deposit"
      ? step.items.flatMap(({ data }) => "maxFeePerGas" in data ? callOf(data.data)?.amount ?? [] : [])
      : []
  )[0] ?? 0n

const verifyShown = (
  { details }: Quote,
  amount: bigint,
  { order, request: { destinationCurrency, originCurrency, tradeType } }: Expected
): ReadonlyArray<Check> => {
  const { currencyIn, currencyOut, refundCurrency, route, slippageTolerance } = details
  const [payment] = order.output.payments
  const input = order.inputs[0]?.payment
  const spare = tradeType === "EXACT_OUTPUT" ? slippageTolerance.origin.value : "0"
  return [
    checkEqual("shown input currency", currencyIn.currency.address, originCurrency.address),
    check(
      "shown input amount",
      isUnits(spare) && currencyIn.amount === `${amount - BigInt(spare)}`,
      `${currencyIn.amount} and ${spare} of ${amount}`
    ),
    checkEqual("shown output currency", currencyOut.currency.address, destinationCurrency.address),
    checkEqual("shown output amount", currencyOut.amount, payment?.expectedAmount),
    checkEqual("shown output minimum", currencyOut.minimumAmount, payment?.minimumAmount),
    checkEqual("shown refund currency", refundCurrency.currency.address, input?.currency),
    checkEqual("shown least refund", refundCurrency.minimumAmount, order.inputs[0]?.refunds[0]?.minimumAmount),
    checkEqual("shown deposit currency", route.origin.outputCurrency.currency.address, input?.currency),
    checkEqual("shown least deposit", route.origin.outputCurrency.minimumAmount, input?.amount)
  ]
}

/** The value of one unit of the output, and of each rounded fee, in units of the deposit. */
const roundingOf = (deposited: bigint, delivered: bigint): bigint =>
  8n + 2n * (delivered > 0n ? deposited / delivered : 0n)

/** Checks the least deposit against the shown expected one, less the tolerance, and against the client's own bound. */
const verifyLeast = (
  { details: { route }, feeSponsorship }: Quote,
  least: bigint,
  delivered: bigint,
  tolerance: Bps,
  wanted: bigint | undefined
): ReadonlyArray<Check> => {
  const shown = route.origin.outputCurrency.amount
  const expected = isUnits(shown) ? BigInt(shown) : 0n
  // A sponsor's payment up to its cap is not proportional.
  const within = feeSponsorship === undefined || tolerance === zeroBps
    ? check(
      "least deposit within the tolerance",
      least > 0n && least <= expected &&
        least + roundingOf(expected, delivered) >= bpsCeil(expected, WHOLE_BPS - tolerance),
      `${least} of ${shown}, tolerance ${tolerance}`
    )
    : unchecked(
      "least deposit within the tolerance",
      "how fees that a sponsor pays change with the deposit is not verified by this version"
    )
  return [
    within,
    wanted === undefined
      ? unchecked(
        "least deposit within the client's bound",
        `${least}: name minimumDeposit, what the client wants deposited at least`
      )
      : check("least deposit within the client's bound", least >= wanted, `${least} of ${wanted}`)
  ]
}

/** `order` in canonical spelling. */
export const verifyOriginSwap = (
  quote: Quote,
  protocol: WireProtocol,
  order: Order,
  orderId: OrderId,
  request: ResolvedRequest,
  expectation: OrderExpectation,
  verifier: StepVerifier | undefined
): ReadonlyArray<Check> => {
  const input = order.inputs[0]?.payment
  const currency = request.origin.currencies.find(({ address }) => address === input?.currency)
  const depositor = request.origin.swaps?.depositor
  if (input === undefined || currency === undefined || depositor === undefined) {
    return [
      check("deposited currency", false, `${input?.currency}: none that the solver takes, or no SwapDepositor is known`)
    ]
  }
  const deposited = asDeposited(request, currency, request.tradeType === "EXACT_INPUT" ? input.amount : request.amount)
  const { maximumIn, minimumDeposit, ...bounds } = expectation
  const tolerance = request.tradeType === "EXACT_OUTPUT" ? zeroBps : deposited.slippage ?? zeroBps
  const expected: Expected = { request, order, orderId, depositor, maximumIn }
  const amount = amountOf(quote.steps)
  return [
    ...verifyOrder(order, deposited, bounds),
    ...verifyBookkeeping(quote.steps),
    checkEqual("deposit steps", quote.steps.filter(({ id }) => id === "deposit").length, 1),
    check("no deposit address", quote.steps.every((step) => step.depositAddress === undefined), "not asked for"),
    ...quote.steps.flatMap((step) => verifyStep(step, amount, expected)),
    ...verifyPayment(protocol, deposited, input.amount),
    ...verifyShown(quote, amount, expected),
    ...verifyLeast(quote, input.amount, order.output.payments[0]?.expectedAmount ?? 0n, tolerance, minimumDeposit),
    ...verifyFees(quote, request, verifier),
    ...(quote.feeSponsorship === undefined
      ? []
      : [unchecked("sponsorship", "who pays which fee is not verified where something is swapped before the deposit")])
  ]
}
