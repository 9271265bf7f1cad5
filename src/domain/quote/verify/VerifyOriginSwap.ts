/**
 * Checks a quote whose user swaps before the deposit against its order: the one call of the swap depositor may take no
 * more than the requested amount, may name only this order and a router that the client knows, and must deposit the
 * order's minimum. The family's verifier reads the call (`StepVerifier.swapDeposits`).
 *
 * SECURITY: the solver chooses the source and the call of its router, so the result is never `ok` as a whole: the
 * route is `unchecked`. The possible cost is bounded: the amount is spent, or the minimum is deposited for the user.
 * Only the client can know what that minimum is worth (`minimumDeposit`), since the shown amounts that it is compared
 * with come from the solver.
 */
import type { Order, OrderId } from "../../order/Order.ts"
import { bpsCeil, WHOLE_BPS, zeroBps } from "../../money/Bps.ts"
import type { Bps } from "../../money/Bps.ts"
import { asDeposited } from "../OriginSwap.ts"
import type { ResolvedRequest } from "../request/ResolveRequest.ts"
import type { Quote, WireProtocol } from "../wire/Quote.ts"
import { check, checkEqual, unchecked } from "./Check.ts"
import type { Check } from "./Check.ts"
import { verifyFees, verifyPayment, verifyShownOnDestination } from "./VerifyFigures.ts"
import { verifyOrder } from "./VerifyOrder.ts"
import type { OrderExpectation } from "./VerifyOrder.ts"
import { verifyBookkeeping } from "./StepVerifier.ts"
import type { StepVerifier } from "./StepVerifier.ts"

const isUnits = (text: string | undefined): text is string => text !== undefined && /^[0-9]{1,78}$/.test(text)

const verifyShown = (
  { details }: Quote,
  amount: bigint,
  order: Order,
  { destinationCurrency, originCurrency, tradeType }: ResolvedRequest
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

/** The deposit that the quote expects, of which the order's input is the minimum. */
const shownDeposit = ({ details: { route } }: Quote): bigint => {
  const shown = route.origin.outputCurrency.amount
  return isUnits(shown) ? BigInt(shown) : 0n
}

/** Checks the least deposit against the shown expected one, less the tolerance, and against the client's own bound. */
const verifyLeast = (
  quote: Quote,
  least: bigint,
  delivered: bigint,
  tolerance: Bps,
  wanted: bigint | undefined
): ReadonlyArray<Check> => {
  const expected = shownDeposit(quote)
  // A sponsor's payment up to its cap is not proportional.
  const within = quote.feeSponsorship === undefined || tolerance === zeroBps
    ? check(
      "least deposit within the tolerance",
      least > 0n && least <= expected &&
        least + roundingOf(expected, delivered) >= bpsCeil(expected, WHOLE_BPS - tolerance),
      `${least} of ${expected}, tolerance ${tolerance}`
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
      check(
        "deposited currency",
        false,
        `${input?.currency}: none that the solver takes, or no swap depositor is known`
      )
    ]
  }
  const steps = verifier?.swapDeposits
  if (steps === undefined) {
    return [unchecked("steps", `swaps before a deposit on ${request.origin.name} are not verified by this version`)]
  }
  const deposited = asDeposited(request, currency, request.tradeType === "EXACT_INPUT" ? input.amount : request.amount)
  const { maximumIn, minimumDeposit, ...bounds } = expectation
  const tolerance = request.tradeType === "EXACT_OUTPUT" ? zeroBps : deposited.slippage ?? zeroBps
  return [
    ...verifyOrder(order, deposited, bounds, shownDeposit(quote)),
    ...verifyBookkeeping(quote.steps),
    checkEqual("deposit steps", quote.steps.filter(({ id }) => id === "deposit").length, 1),
    check("no deposit address", quote.steps.every((step) => step.depositAddress === undefined), "not asked for"),
    ...steps.steps(quote.steps, {
      request,
      orderId,
      deposit: { currency: currency.address, amount: input.amount },
      depositor,
      maximumIn
    }),
    ...verifyPayment(protocol, deposited, input.amount),
    ...verifyShown(quote, steps.amountOf(quote.steps), order, request),
    ...verifyShownOnDestination(quote, deposited, order),
    ...verifyLeast(quote, input.amount, order.output.payments[0]?.expectedAmount ?? 0n, tolerance, minimumDeposit),
    ...verifyFees(quote, request, verifier),
    ...(quote.feeSponsorship === undefined
      ? []
      : [unchecked("sponsorship", "who pays which fee is not verified where something is swapped before the deposit")])
  ]
}
