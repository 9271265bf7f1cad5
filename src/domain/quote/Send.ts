/**
 * A direct payment: a transfer within one chain and one currency to another recipient, without calls: `send` (STEP-4).
 * The user pays the recipient with the order id appended. There is no fill, so nothing is charged, and parameters that
 * need a fill are refused.
 */
import * as Result from "effect/Result"
import { zeroBps } from "../money/Bps.ts"
import type { PricedRequest } from "./pricing/PriceRequest.ts"
import { isAsked } from "./request/QuoteRequest.ts"
import type { QuoteRequest, RequestParameter } from "./request/QuoteRequest.ts"
import type { QuoteRefused } from "./QuoteError.ts"
import { refuseField } from "./request/RequestRules.ts"
import type { ResolvedRequest } from "./request/ResolveRequest.ts"

/** True for a request that consists only of a payment from its user to its recipient. */
export const isSend = ({ calls, destination, destinationCurrency, origin, originCurrency }: ResolvedRequest): boolean =>
  origin.id === destination.id && originCurrency.address === destinationCurrency.address && calls.length === 0

/** Parameters that only have a meaning with a fill or a deposit. */
const needFill: ReadonlyArray<RequestParameter> = [
  "appFees",
  "forceSolverExecution",
  "subsidizeFees",
  "explicitDeposit",
  "latePaymentSlippageTolerance",
  "useDepositAddress",
  "usePermit",
  "authorizationList",
  "topupGas",
  "useExternalLiquidity",
  "fixedRate"
]

/**
 * INVALID_RECIPIENT when the user would pay itself; INVALID_REQUEST for a parameter that has no effect on a direct
 * payment.
 */
export const checkSend = (
  body: QuoteRequest,
  { recipient, user }: ResolvedRequest
): Result.Result<void, QuoteRefused> => {
  if (recipient === user) {
    return refuseField("INVALID_RECIPIENT", "recipient", "within one chain and currency it must be another than user")
  }
  const asked = needFill.find((name) => isAsked(body, name))
  return asked === undefined
    ? Result.void
    : refuseField(
      "INVALID_REQUEST",
      asked,
      "cannot be combined with a destinationCurrency that is the originCurrency on the same chain: a send has no fill"
    )
}

/** The output equals the input. */
export const priceSend = ({ amount }: ResolvedRequest): PricedRequest => ({
  priced: {
    amountIn: amount,
    amountOut: amount,
    userPays: 0n,
    split: undefined,
    fees: { relayerGas: 0n, originGas: 0n, fillGas: 0n, execution: 0n, swap: 0n, service: 0n, app: 0n, rent: 0n }
  },
  slippage: zeroBps,
  minimumOut: amount
})
