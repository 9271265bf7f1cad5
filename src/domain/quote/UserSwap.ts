/**
 * A swap within one chain that its user carries out: `swap` (STEP-3). One call of a swap source's router takes the
 * user's money and pays the recipient. There is no fill, and nothing is held in between. A request that needs either is
 * swapped by the solver.
 */
import { can } from "../families/FamilyRules.ts"
import * as Result from "effect/Result"
import { findCurrency } from "../chain/Chain.ts"
import { convertFloor, unitsForUsdCeil } from "../money/Currency.ts"
import { usdFromMicros } from "../money/Usd.ts"
import type { SwapPrices } from "../swap/ChooseSwap.ts"
import type { SwapAsk, SwapQuote } from "../swap/SwapQuote.ts"
import { isWrapPair } from "../swap/Wrap.ts"
import { automaticSlippageBps, pairClass } from "./pricing/AssetClass.ts"
import { zeroBps } from "../money/Bps.ts"
import type { Bps } from "../money/Bps.ts"
import { isSwapImpactTooHigh } from "./pricing/Impact.ts"
import { swapImpactTooHigh } from "./pricing/PriceRequest.ts"
import type { PricedRequest } from "./pricing/PriceRequest.ts"
import { minimumOut } from "./pricing/Pricing.ts"
import type { Priced } from "./pricing/Pricing.ts"
import { isAsked } from "./request/QuoteRequest.ts"
import type { QuoteRequest, RequestParameter } from "./request/QuoteRequest.ts"
import { QuoteRefused } from "./QuoteError.ts"
import { refuseField } from "./request/RequestRules.ts"
import type { ResolvedRequest } from "./request/ResolveRequest.ts"
import { isSend } from "./Send.ts"

/** True for a request that needs a fill. Then the solver swaps, as it also does when the request forces it. */
const needsSolver = (
  {
    appFees,
    authorizations,
    calls,
    depositAddress,
    explicitDeposit,
    externalLiquidity,
    forceSolverExecution,
    lateSlippage,
    permit,
    sponsorship,
    topup,
    tradeType
  }: ResolvedRequest
): boolean =>
  forceSolverExecution || appFees.length > 0 || authorizations.length > 0 || calls.length > 0 ||
  depositAddress !== undefined || !explicitDeposit || externalLiquidity ||
  lateSlippage !== undefined || permit !== undefined || sponsorship !== undefined || topup !== undefined ||
  tradeType === "EXPECTED_OUTPUT"

/** A wrapped token pays its caller. For another recipient the solver exchanges the two, since it holds both. */
const isForeignWrap = ({ destinationCurrency, origin, originCurrency, recipient, user }: ResolvedRequest): boolean =>
  recipient !== user && isWrapPair(origin, originCurrency, destinationCurrency)

/**
 * Pools give wrapped SOL, which is unwrapped on its owner's account. For another recipient the solver exchanges the
 * two.
 */
const isForeignSol = ({ destinationCurrency, origin, recipient, user }: ResolvedRequest): boolean =>
  !can(origin.family, "native-swaps-for-others") && destinationCurrency.isNative && recipient !== user

/**
 * True for a swap that its user carries out alone: within one chain that has swap sources, unless it needs the solver.
 * Elsewhere the solver exchanges the two, as between chains (STEP-3).
 */
export const isUserSwap = (request: ResolvedRequest): boolean =>
  request.origin.id === request.destination.id && request.origin.swaps !== undefined && !isSend(request) &&
  !needsSolver(request) &&
  !isForeignWrap(request) && !isForeignSol(request)

/** True when the user wraps or unwraps native currency. */
export const isOwnWrap = (request: ResolvedRequest): boolean =>
  isUserSwap(request) && isWrapPair(request.origin, request.originCurrency, request.destinationCurrency)

/** True when the solver does not hold the output currency, so the fill swaps. */
export const isDestinationSwap = (request: ResolvedRequest): boolean =>
  findCurrency(request.destination, request.destinationCurrency.address) === undefined && !isSend(request) &&
  !isUserSwap(request)

/**
 * Parameters that a fill with a swap cannot serve, because it takes exactly the bridged amount. A late payment settles
 * as a refund, and no oracle attests a refund that runs calls. A fixed rate applies only between currencies that the
 * solver holds.
 */
const notWhileSwapping: ReadonlyArray<RequestParameter> = ["latePaymentSlippageTolerance", "fixedRate"]

/** INVALID_REQUEST for a combination that a swap of the fill cannot serve. */
const checkCombined = (
  body: QuoteRequest,
  { calls, destination, destinationCurrency: to, sponsorship, tradeType }: ResolvedRequest
): Result.Result<void, QuoteRefused> => {
  const asked = notWhileSwapping.find((name) => isAsked(body, name))
  if (asked !== undefined) {
    return refuseField(
      "INVALID_REQUEST",
      asked,
      `cannot be combined with a destinationCurrency that is reached by a swap: ${to.symbol}`
    )
  }
  if (calls.length > 0 && destination.swaps?.handover === undefined) {
    return refuseField(
      "EXTRA_TXS_NOT_SUPPORTED",
      "txs",
      `${destination.name} runs no calls after a swap to ${to.symbol}`
    )
  }
  // The author of calls can make them revert; and a sponsor's payment for a swap must not go to a recipient who gets no
  // swap.
  const unfit = body.useFallbacks === true
    ? (["txs", "subsidizeFees"] as const).find((name) => isAsked(body, name))
    : undefined
  if (unfit !== undefined) {
    return refuseField(
      "INVALID_REQUEST",
      "useFallbacks",
      `cannot be combined with ${unfit} where the fill swaps to ${to.symbol}`
    )
  }
  // What is reserved for an exact output and not needed goes to the recipient; it is not a fee that a sponsor could
  // pay.
  return sponsorship !== undefined && tradeType === "EXACT_OUTPUT" && isAsked(body, "slippageTolerance")
    ? refuseField(
      "INVALID_REQUEST",
      "slippageTolerance",
      `cannot be combined with subsidizeFees and EXACT_OUTPUT where the fill swaps to ${to.symbol}`
    )
    : Result.void
}

/** A user that swaps or pays directly makes no deposit, so there is no deposit fee for another account to pay. */
const checkOwnFees = ({ depositFeePayer }: ResolvedRequest): Result.Result<void, QuoteRefused> =>
  depositFeePayer === undefined
    ? Result.void
    : refuseField(
      "INVALID_REQUEST",
      "depositFeePayer",
      "within one chain there is no deposit: the user executes it alone"
    )

/** INVALID_REQUEST for a parameter that a swap of the fill cannot serve, UNSUPPORTED_ROUTE where no fill swaps. */
export const checkSwaps = (body: QuoteRequest, request: ResolvedRequest): Result.Result<void, QuoteRefused> => {
  if (isUserSwap(request) || isSend(request)) return checkOwnFees(request)
  if (!isDestinationSwap(request)) return Result.void
  const { destination, destinationCurrency } = request
  return !can(destination.family, "swaps-in-fills")
    ? refuseField(
      "UNSUPPORTED_ROUTE",
      "destinationCurrency",
      `${destinationCurrency.symbol} is only reached by a swap, and no fill on ${destination.name} swaps: name a currency that the solver holds, or swap it there afterwards`
    )
    : checkCombined(body, request)
}

/** The amount that sources are asked for: the whole input, or the whole output. */
export const askOf = (
  { amount, destinationCurrency, origin, originCurrency, slippage, swaps, tradeType }: ResolvedRequest
): SwapAsk => ({
  chain: origin,
  from: originCurrency,
  to: destinationCurrency,
  exact: tradeType === "EXACT_INPUT" ? "in" : "out",
  amount,
  ...(can(origin.family, "route-options")
    ? {
      route: {
        mostHops: swaps.mostHops,
        sharedAccounts: swaps.sharedAccounts,
        slippage: slippageOf(tradeType, { destinationCurrency, originCurrency, slippage })
      }
    }
    : {})
})

/** An exact amount has no slippage. */
const slippageOf = (
  tradeType: ResolvedRequest["tradeType"],
  { destinationCurrency, originCurrency, slippage }: Pick<
    ResolvedRequest,
    "destinationCurrency" | "originCurrency" | "slippage"
  >
): Bps =>
  tradeType === "EXACT_INPUT"
    ? slippage ?? automaticSlippageBps(pairClass(originCurrency, destinationCurrency))
    : zeroBps

const ONE_USD = usdFromMicros(1_000_000n)

/** What more is known about a swap that no allowed source gives. */
export type NoSwapCause = "no-way" | "no-source" | "no-pool" | "too-small" | "now"

const adviceOf: Readonly<Record<NoSwapCause, (from: string, to: string) => string>> = {
  "no-way": (from, to) => `no swap leads from ${from} to ${to} between these chains: try another currency`,
  "no-source": (from, to) =>
    `no swap source that could give ${to} for ${from} is allowed on that chain: GET /swap-sources lists them`,
  "no-pool": (from, to) =>
    `no pool of the sources that the request allows gives ${to} for ${from} on that chain now, not even for one dollar: try another currency, or allow more of GET /swap-sources`,
  "too-small": (from, to) => `no swap source gives ${to} for so little ${from} on that chain now: try a larger amount`,
  "now": (from, to) =>
    `no swap source that the request allows gives ${to} for ${from} on that chain now: try a smaller amount, or allow more of GET /swap-sources`
}

/** NO_SWAP_ROUTES_FOUND. Without a cause there is a pool, or nothing is known of it: another amount may do. */
export const noSwapRoute = (
  { from, to }: Pick<SwapAsk, "from" | "to">,
  cause: NoSwapCause = "now"
): QuoteRefused => new QuoteRefused({ code: "NO_SWAP_ROUTES_FOUND", message: adviceOf[cause](from.symbol, to.symbol) })

/** What shows whether there is a pool at all: one dollar's worth of the exact side, which any pool with money gives. */
export const probeOf = (ask: SwapAsk, { from, to }: Pick<SwapPrices, "from" | "to">): SwapAsk => ({
  ...ask,
  amount: unitsForUsdCeil(ONE_USD, ask.exact === "in" ? from : to)
})

/** Why `ask` found nothing, when the probe found something or nothing. */
export const noSwapCause = (ask: SwapAsk, probe: SwapAsk, isProbeGiven: boolean): NoSwapCause =>
  !isProbeGiven ? "no-pool" : ask.amount < probe.amount ? "too-small" : "now"

/**
 * The whole cost of a user's swap is the source's: the input's market value less the output's, which may be negative.
 */
const pricedBy = ({ amountIn, amountOut }: SwapQuote, { from, to }: SwapPrices): Priced => {
  const swap = amountIn - convertFloor(amountOut, to, from)
  return {
    amountIn,
    amountOut,
    userPays: swap,
    split: undefined,
    fees: { relayerGas: 0n, originGas: 0n, fillGas: 0n, execution: 0n, swap, service: 0n, app: 0n, rent: 0n }
  }
}

/** The price of a source's quote, or SWAP_IMPACT_TOO_HIGH. An exact amount has no slippage. */
export const priceUserSwap = (
  request: ResolvedRequest,
  quote: SwapQuote,
  prices: SwapPrices
): Result.Result<PricedRequest, QuoteRefused> => {
  const priced = pricedBy(quote, prices)
  if (!request.overridePriceImpact && isSwapImpactTooHigh(priced)) return Result.fail(swapImpactTooHigh)
  const slippage = slippageOf(quote.ask.exact === "out" ? "EXACT_OUTPUT" : "EXACT_INPUT", request)
  return Result.succeed({ priced, slippage, minimumOut: minimumOut(priced.amountOut, slippage) })
}

/** How long a user may take to send the quoted swap, seconds; a shorter ttl of the request takes precedence. */
export const SWAP_SECONDS = 1_200
