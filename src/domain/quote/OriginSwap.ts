/**
 * A swap before the deposit: what the user pays with is none of the solver's currencies, so it is swapped into one in
 * the very transaction that deposits (SwapDepositor). The order's input is that bridged currency, in the least amount
 * that the swap may give; what it really gave is the deposit, and judged as every deposit is.
 */
import * as Result from "effect/Result"
import { findCurrency } from "../chain/Chain.ts"
import { sameCurrency } from "../money/Currency.ts"
import type { Currency } from "../money/Currency.ts"
import { bridgedCurrency } from "../swap/DestinationSwap.ts"
import { automaticSlippageBps, pairClass } from "./pricing/AssetClass.ts"
import type { QuoteRefused } from "./QuoteError.ts"
import { isAsked } from "./request/QuoteRequest.ts"
import type { QuoteRequest, RequestParameter } from "./request/QuoteRequest.ts"
import { refuseField } from "./request/RequestRules.ts"
import type { ResolvedRequest } from "./request/ResolveRequest.ts"
import { isSend } from "./Send.ts"
import { isUserSwap } from "./UserSwap.ts"

/** True when the solver does not take what the user pays with: the deposit is what a swap makes of it. */
export const isOriginSwap = (request: ResolvedRequest): boolean =>
  findCurrency(request.origin, request.originCurrency.address) === undefined && !isSend(request) && !isUserSwap(request)

/**
 * What a deposit by the SwapDepositor cannot be: a plain transfer, a signature, late (its swap has a deadline), at a
 * rate of another pair.
 */
const notBeforeDeposit: ReadonlyArray<RequestParameter> = [
  "useDepositAddress",
  "usePermit",
  "latePaymentSlippageTolerance",
  "fixedRate"
]

/** INVALID_REQUEST for a parameter that asks for another way of depositing than a swap's. */
export const checkOriginSwap = (body: QuoteRequest, request: ResolvedRequest): Result.Result<void, QuoteRefused> => {
  if (!isOriginSwap(request)) return Result.void
  const { origin, originCurrency } = request
  if (origin.family === "solana-vm") {
    return refuseField(
      "UNSUPPORTED_ROUTE",
      "originCurrency",
      `${originCurrency.symbol} would have to be swapped before the deposit, which nobody does on ${origin.name}: swap it there first`
    )
  }
  // Of this one it is the false that asks for something.
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
 * What the deposit is made in: the destination's own asset where the solver takes it, else what paths go through; never
 * what the order pays out itself.
 */
export const depositedCurrency = ({ destinationCurrency: to, origin }: ResolvedRequest): Currency | undefined =>
  bridgedCurrency(to, { ...origin, currencies: origin.currencies.filter((held) => !sameCurrency(held, to)) })

/**
 * The request of the order: from the bridged currency on. The user's own pair is still what tolerance and service go
 * by.
 */
export const asDeposited = (request: ResolvedRequest, deposited: Currency, amount: bigint): ResolvedRequest => {
  const { destinationCurrency, originCurrency: paid, slippage, tradeType } = request
  const tolerance = tradeType === "EXACT_OUTPUT"
    ? slippage
    : slippage ?? automaticSlippageBps(pairClass(paid, destinationCurrency))
  return { ...request, originCurrency: deposited, paid, amount, slippage: tolerance }
}
