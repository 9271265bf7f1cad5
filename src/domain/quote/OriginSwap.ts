/**
 * A swap before the deposit: the solver does not hold the currency that the user pays with, so the depositing
 * transaction itself swaps it into one that the solver holds (SwapDepositor). The order's input is that bridged
 * currency, in the minimum amount that the swap may give. The amount that the swap really gave is the deposit, and is
 * judged like any other.
 */
import { can } from "../families/FamilyRules.ts"
import * as Result from "effect/Result"
import { findCurrency } from "../chain/Chain.ts"
import { sameCurrency } from "../money/Currency.ts"
import type { Currency } from "../money/Currency.ts"
import { zeroBps } from "../money/Bps.ts"
import { bridgedCurrency } from "../swap/DestinationSwap.ts"
import type { SwapAsk } from "../swap/SwapQuote.ts"
import { automaticSlippageBps, pairClass } from "./pricing/AssetClass.ts"
import type { QuoteRefused } from "./QuoteError.ts"
import { isAsked } from "./request/QuoteRequest.ts"
import type { QuoteRequest, RequestParameter } from "./request/QuoteRequest.ts"
import { refuseField } from "./request/RequestRules.ts"
import type { ResolvedRequest } from "./request/ResolveRequest.ts"
import { isSend } from "./Send.ts"
import { isUserSwap } from "./UserSwap.ts"

/**
 * True when the solver does not accept the currency that the user pays with, so the deposit is the output of a swap.
 */
export const isOriginSwap = (request: ResolvedRequest): boolean =>
  findCurrency(request.origin, request.originCurrency.address) === undefined && !isSend(request) && !isUserSwap(request)

/**
 * Parameters that a deposit by the SwapDepositor cannot serve: it cannot be a plain transfer, a signature, late (its
 * swap has a deadline), or at a fixed rate of another pair.
 */
const notBeforeDeposit: ReadonlyArray<RequestParameter> = [
  "useDepositAddress",
  "usePermit",
  "latePaymentSlippageTolerance",
  "fixedRate"
]

/** INVALID_REQUEST for a parameter that requires another way of depositing. */
export const checkOriginSwap = (body: QuoteRequest, request: ResolvedRequest): Result.Result<void, QuoteRefused> => {
  if (!isOriginSwap(request)) return Result.void
  const { origin, originCurrency } = request
  if (!can(origin.family, "swaps-before-deposits")) {
    return refuseField(
      "UNSUPPORTED_ROUTE",
      "originCurrency",
      `${originCurrency.symbol} would have to be swapped before the deposit, which is not supported on ${origin.name}: swap it there first`
    )
  }
  // For this parameter, `false` is the value that has an effect.
  const asked = request.explicitDeposit ? notBeforeDeposit.find((name) => isAsked(body, name)) : "explicitDeposit"
  return asked === undefined
    ? Result.void
    : refuseField(
      "INVALID_REQUEST",
      asked,
      `cannot be combined with an originCurrency that is swapped before the deposit: ${request.originCurrency.symbol}`
    )
}

/**
 * The currency of the deposit: the destination's own asset if the solver accepts it, else the token that paths go
 * through. Never the currency that the order pays out. Not native currency where a swap pays that to its user alone: it
 * would have to be unwrapped between the swap and the deposit.
 */
export const depositedCurrency = ({ destinationCurrency: to, origin }: ResolvedRequest): Currency | undefined =>
  bridgedCurrency(to, {
    ...origin,
    currencies: origin.currencies.filter((held) =>
      !sameCurrency(held, to) && (!held.isNative || can(origin.family, "native-swaps-for-others"))
    )
  })

/** The route that a source is asked for. It allows less output, or more input, by the request's tolerance. */
export const routeOfSwap = (
  { destinationCurrency, origin, originCurrency, slippage, swaps, tradeType }: ResolvedRequest
): Pick<SwapAsk, "route"> =>
  can(origin.family, "route-options")
    ? {
      route: {
        mostHops: swaps.mostHops,
        sharedAccounts: swaps.sharedAccounts,
        slippage: slippage ??
          (tradeType === "EXACT_OUTPUT"
            ? zeroBps
            : automaticSlippageBps(pairClass(originCurrency, destinationCurrency)))
      }
    }
    : {}

/**
 * The request from the bridged currency on, for the order. Tolerance and service fee still follow the user's own pair.
 */
export const asDeposited = (request: ResolvedRequest, deposited: Currency, amount: bigint): ResolvedRequest => {
  const { destinationCurrency, originCurrency: paid, slippage, tradeType } = request
  const tolerance = tradeType === "EXACT_OUTPUT"
    ? slippage
    : slippage ?? automaticSlippageBps(pairClass(paid, destinationCurrency))
  return { ...request, originCurrency: deposited, paid, amount, slippage: tolerance }
}
