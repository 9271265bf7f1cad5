/**
 * Who executes a request, decided once from the request alone. Each plan is priced and built in its own way. A request
 * that its plan cannot serve is refused here.
 */
import * as Result from "effect/Result"
import { can } from "../families/FamilyRules.ts"
import { checkOriginSwap, isOriginSwap } from "./OriginSwap.ts"
import type { QuoteRefused } from "./QuoteError.ts"
import type { QuoteRequest } from "./request/QuoteRequest.ts"
import { refuseField } from "./request/RequestRules.ts"
import type { ResolvedRequest } from "./request/ResolveRequest.ts"
import { isSend } from "./Send.ts"
import { checkSwaps, isDestinationSwap, isUserSwap } from "./UserSwap.ts"

/** How the solver delivers: from its own inventory, or through a swap that the fill makes. */
export type Delivery = { readonly _tag: "Fill" } | { readonly _tag: "SwapFill" }

export type QuotePlan =
  /** The user pays the recipient directly. */
  | { readonly _tag: "Send" }
  /** The user swaps, or wraps, within one chain. */
  | { readonly _tag: "UserSwap" }
  | Delivery
  /** The user swaps into a currency that the solver accepts, in the transaction that deposits it. */
  | { readonly _tag: "OriginSwap"; readonly delivery: Delivery }

/** The one plan that a request asks for. Every request has exactly one. */
export const planOf = (request: ResolvedRequest): QuotePlan => {
  if (isSend(request)) return { _tag: "Send" }
  if (isUserSwap(request)) return { _tag: "UserSwap" }
  const delivery: Delivery = { _tag: isDestinationSwap(request) ? "SwapFill" : "Fill" }
  return isOriginSwap(request) ? { _tag: "OriginSwap", delivery } : delivery
}

/** UNSUPPORTED_ROUTE for a send that nobody would find. */
const checkFound = (request: ResolvedRequest): Result.Result<void, QuoteRefused> =>
  !isSend(request) || can(request.origin.family, "sends")
    ? Result.void
    : refuseField(
      "UNSUPPORTED_ROUTE",
      "destinationCurrency",
      `sends within ${request.origin.name} are not served: another currency or chain is`
    )

/**
 * Fails with INVALID_REQUEST for a parameter that the plan cannot serve, and UNSUPPORTED_ROUTE where no swap is
 * possible.
 */
export const planQuote = (body: QuoteRequest, request: ResolvedRequest): Result.Result<QuotePlan, QuoteRefused> =>
  checkFound(request).pipe(
    Result.andThen(() => checkSwaps(body, request)),
    Result.andThen(() => checkOriginSwap(body, request)),
    Result.map(() => planOf(request))
  )
