/**
 * Checks the figures that a quote shows against its order (QUOTE-4, PRICE-8), and against each other.
 *
 * Dollars, percents, the estimate and the balance are not verified: they come from prices and chains, for which a
 * client would need another source.
 */
import type { Currency } from "../../money/Currency.ts"
import { formatDecimal, formatRatio } from "../../money/Decimal.ts"
import type { Order } from "../../order/Order.ts"
import { componentName, isServiceName } from "../../sponsorship/Component.ts"
import type { QuoteRequest } from "../request/QuoteRequest.ts"
import type { ResolvedRequest } from "../request/ResolveRequest.ts"
import type { QuotedSponsorship } from "../wire/FeeSponsorship.ts"
import { isDestinationSwap } from "../UserSwap.ts"
import type { Quote, WireProtocol } from "../wire/Quote.ts"
import type { WireAmount } from "../wire/WireAmount.ts"
import { check, checkEqual, unchecked } from "./Check.ts"
import type { Check } from "./Check.ts"
import type { StepVerifier } from "./StepVerifier.ts"
import { refundOptionsOf } from "./VerifyRefunds.ts"

const integer = (text: string): bigint => /^-?[0-9]{1,79}$/.test(text) ? BigInt(text) : -1n

const verifyAmount = (
  name: string,
  shown: WireAmount,
  currency: Currency,
  units: bigint,
  minimum: bigint = units
): ReadonlyArray<Check> => [
  checkEqual(`${name} chain`, shown.currency.chainId, currency.chainId),
  checkEqual(`${name} currency`, shown.currency.address, currency.address),
  checkEqual(`${name} symbol`, shown.currency.symbol, currency.symbol),
  checkEqual(`${name} name`, shown.currency.name, currency.name),
  checkEqual(`${name} decimals`, shown.currency.decimals, currency.decimals),
  checkEqual(`${name} is native`, shown.currency.metadata.isNative, currency.isNative),
  checkEqual(`${name} amount`, shown.amount, units),
  checkEqual(`${name} formatted`, shown.amountFormatted, formatDecimal(units, currency.decimals, 1)),
  checkEqual(`${name} minimum`, shown.minimumAmount, minimum)
]

/**
 * What the quote shows of the order's refund on the destination. The amount that a swap of the fill takes is the
 * solver's figure, and is shown twice.
 */
export const verifyShownOnDestination = (
  { details: { refundOnDestination: shown, route } }: Quote,
  request: ResolvedRequest,
  order: Order
): ReadonlyArray<Check> => {
  const name = "shown refund on the destination"
  const { onDestination } = refundOptionsOf(order, request)
  if (shown === undefined || onDestination === undefined) {
    return [
      check(name, shown === undefined && onDestination === undefined, shown === undefined ? "none" : shown.amount)
    ]
  }
  const { destination, destinationCurrency } = request
  const { currency: named, minimumAmount } = onDestination
  if (!isDestinationSwap(request)) {
    const paid = order.output.payments[0]?.expectedAmount ?? 0n
    return verifyAmount(name, shown, destinationCurrency, paid, minimumAmount)
  }
  const held = destination.currencies.find(({ address }) => address === named)
  return held === undefined ? [check(name, false, named)] : [
    ...verifyAmount(name, shown, held, integer(route.destination.inputCurrency.amount), minimumAmount),
    check(`${name} at most what is swapped`, minimumAmount <= integer(shown.amount), `${minimumAmount}`)
  ]
}

const verifyDetails = (
  quote: Quote,
  request: ResolvedRequest,
  order: Order,
  amountIn: bigint
): ReadonlyArray<Check> => {
  const { details } = quote
  const [payment, toppedUp] = order.output.payments
  const amountOut = payment?.expectedAmount ?? 0n
  const minimum = payment?.minimumAmount ?? 0n
  const topup = toppedUp?.expectedAmount ?? 0n
  const leastRefund = refundOptionsOf(order, request).own?.minimumAmount ?? 0n
  const { destination, destinationCurrency, originCurrency } = request
  const { route } = details
  return [
    checkEqual("shown sender", details.sender, request.user),
    checkEqual("shown recipient", details.recipient, request.recipient),
    ...verifyAmount("shown input", details.currencyIn, originCurrency, amountIn),
    ...verifyAmount("shown output", details.currencyOut, destinationCurrency, amountOut, minimum),
    ...verifyAmount("shown refund", details.refundCurrency, originCurrency, amountIn, leastRefund),
    ...verifyShownOnDestination(quote, request, order),
    ...verifyAmount("shown topup", details.currencyGasTopup, destination.native, topup),
    ...verifyAmount("route's input", route.origin.inputCurrency, originCurrency, amountIn),
    ...verifyAmount("route's output", route.destination.outputCurrency, destinationCurrency, amountOut, minimum),
    checkEqual(
      "rate",
      details.rate,
      formatRatio(
        amountOut * 10n ** BigInt(originCurrency.decimals),
        amountIn * 10n ** BigInt(destinationCurrency.decimals),
        18
      )
    ),
    checkEqual("shown slippage", details.slippageTolerance.destination.value, amountOut - minimum),
    checkEqual("fixed rate", details.isFixedRate, request.fixedRate !== undefined)
  ]
}

/** Each fee in the origin currency, and their sum. */
export const verifyFees = (
  quote: Quote,
  request: ResolvedRequest,
  verifier: StepVerifier | undefined
): ReadonlyArray<Check> => {
  const { fees } = quote
  const { origin, originCurrency } = request
  const units = ({ amount }: WireAmount) => integer(amount)
  const costs = verifier?.costs(quote, request) ?? []
  const wallet = costs.find((cost) => `${cost}` === fees.gas.amount) ?? costs[0]
  return [
    ...(wallet === undefined
      ? [unchecked("fees.gas", `what transactions of ${origin.name} cost is not verified by this version`)]
      : verifyAmount("fees.gas", fees.gas, origin.native, wallet)),
    checkEqual("fees.relayer", fees.relayer.amount, units(fees.relayerGas) + units(fees.relayerService)),
    ...(["relayer", "relayerGas", "relayerService", "app", "subsidized"] as const).flatMap((name) =>
      verifyAmount(`fees.${name}`, fees[name], originCurrency, units(fees[name]))
    )
  ]
}

/** The selected components by the names in the quote itself, because operators choose the service's name. */
const selectedNames = (names: ReadonlyArray<string>, { sponsorship }: ResolvedRequest): ReadonlyArray<string> => {
  const selection = sponsorship?.selection
  const service = names.find(isServiceName) ?? "service"
  return selection === undefined || selection._tag === "Off"
    ? []
    : selection.components.map((component) => componentName(component, service))
}

/** The sponsor pays only for selected components, and when a cap is hit the user pays a part. */
const verifySelection = (
  { capHit, components, selectedComponents }: QuotedSponsorship,
  request: ResolvedRequest,
  { usePermit = false }: QuoteRequest
): ReadonlyArray<Check> => {
  const selected = selectedNames(Object.keys(components), request)
  const shares = Object.entries(components)
  const left = shares.filter(([, share]) =>
    share.selected && integer(share.sponsored.amount) < integer(share.total.amount)
  ).map(([name]) => name)
  const none = shares.every(([, share]) => integer(share.sponsored.amount) === 0n)
  return [
    checkEqual("selected components", selectedComponents.join(), selected.join()),
    ...shares.flatMap(([name, share]) => [
      checkEqual(`${name} selected`, share.selected, selected.includes(name)),
      check(
        `${name} sponsored if selected`,
        share.selected || integer(share.sponsored.amount) === 0n,
        share.sponsored.amount
      )
    ]),
    // When the cap is not hit, the user pays no part of a selected component (except a gasless origin's gas), or
    // nothing is sponsored.
    check(
      "cap hit",
      capHit ? left.length > 0 : none || left.every((name) => usePermit && name === "execution"),
      `${capHit}`
    )
  ]
}

const verifySponsorship = (
  { fees, feeSponsorship }: Quote,
  request: ResolvedRequest,
  sent: QuoteRequest
): ReadonlyArray<Check> => {
  const { originCurrency, sponsorship } = request
  if (feeSponsorship === undefined) {
    return [
      check("sponsorship", sponsorship === undefined, "none"),
      checkEqual("nothing subsidized", fees.subsidized.amount, 0n)
    ]
  }
  const { components, maxSubsidizationAmount, sponsoredTotal, userPaysTotal } = feeSponsorship.quoted
  const shown = (name: string, amount: WireAmount) => verifyAmount(name, amount, originCurrency, integer(amount.amount))
  const shares = Object.values(components)
  const sum = (part: "sponsored" | "userPays" | "total") =>
    shares.reduce((all, share) => all + integer(share[part].amount), 0n)
  return [
    check("sponsorship", sponsorship !== undefined, "quoted"),
    checkEqual("components", shares.length, 5),
    ...verifySelection(feeSponsorship.quoted, request, sent),
    ...Object.entries(components).map(([name, share]) =>
      checkEqual(
        `${name}: sponsored and paid`,
        share.total.amount,
        integer(share.sponsored.amount) + integer(share.userPays.amount)
      )
    ),
    ...Object.entries(components).flatMap(([name, share]) => [
      ...shown(`${name} total`, share.total),
      ...shown(`${name} sponsored`, share.sponsored),
      ...shown(`${name} paid`, share.userPays)
    ]),
    ...shown("sponsored in sum", sponsoredTotal),
    ...shown("paid in sum", userPaysTotal),
    checkEqual("cap", maxSubsidizationAmount, sponsorship?.cap),
    checkEqual("sponsored in sum", sponsoredTotal.amount, sum("sponsored")),
    checkEqual("paid in sum", userPaysTotal.amount, sum("userPays")),
    checkEqual("subsidized", fees.subsidized.amount, sum("sponsored")),
    checkEqual("all components", sum("total"), integer(fees.relayer.amount) + integer(fees.app.amount))
  ]
}

/** Checks the protocol data of the deposit. `request`: what is deposited. */
export const verifyPayment = (
  { v2: { paymentDetails } }: WireProtocol,
  { origin, originCurrency }: ResolvedRequest,
  amount: bigint
): ReadonlyArray<Check> => [
  checkEqual("payment chain", paymentDetails.chainId, origin.slug),
  checkEqual("payment depository", paymentDetails.depository, origin.depository),
  checkEqual("payment currency", paymentDetails.currency, originCurrency.address),
  checkEqual("payment amount", paymentDetails.amount, amount)
]

/** `order` in canonical spelling, `protocol` as in the quote, `sent` the body that `request` was resolved from. */
export const verifyFigures = (
  quote: Quote,
  protocol: WireProtocol,
  order: Order,
  request: ResolvedRequest,
  sent: QuoteRequest,
  verifier: StepVerifier | undefined
): ReadonlyArray<Check> => {
  const amountIn = order.inputs[0]?.payment.amount ?? 0n
  return [
    ...verifyPayment(protocol, request, amountIn),
    ...(amountIn === 0n ? [] : verifyDetails(quote, request, order, amountIn)),
    ...verifyFees(quote, request, verifier),
    ...verifySponsorship(quote, request, sent)
  ]
}
