/** POST /quote (REQUEST-1) and POST /price (QUOTE-8): definition only, no server code. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, OpenApi } from "effect/http-api"
import { quoteRequestOf } from "../../../../src/domain/quote/request/QuoteRequest.ts"
import { Price } from "../../../../src/domain/quote/wire/Price.ts"
import { Quote } from "../../../../src/domain/quote/wire/Quote.ts"
import { bodyErrors, idempotencyHeader } from "../CommonErrors.ts"
import { QuoteBadRequest, QuoteDefect, QuoteUnauthorized, QuoteUnavailable } from "./QuoteErrors.ts"

/**
 * The optional parameters that this host supports. All other known parameters are refused by name, and are not in the
 * document.
 */
export const servedParameters = [
  "recipient",
  "refundTo",
  "refundOnOrigin",
  "topupGas",
  "topupGasAmount",
  "slippageTolerance",
  "latePaymentSlippageTolerance",
  "ttl",
  "appFees",
  "subsidizeFees",
  "maxSubsidizationAmount",
  "sponsoredFeeComponents",
  "subsidizeRent",
  "depositFeePayer",
  "includeComputeUnitLimit",
  "additionalData",
  "maxRouteLength",
  "useSharedAccounts",
  "txs",
  "txsGasLimit",
  "gasLimitForDepositSpecifiedTxs",
  "forceSolverExecution",
  "explicitDeposit",
  "usePermit",
  "permitExpiry",
  "originGasOverhead",
  "authorizationList",
  "useDepositAddress",
  "strict",
  "recoveryAddress",
  "enableTrueExactOutput",
  "overridePriceImpact",
  "useExternalLiquidity",
  "useFallbacks",
  "fixedRate",
  "includedSwapSources",
  "excludedSwapSources",
  "includedOriginSwapSources",
  "includedDestinationSwapSources",
  "disableSwapProviderPreference",
  "disableOriginSwaps",
  "includeProtocolData",
  "referrer",
  "referrerAddress"
] as const

/** A body of /quote and /price. */
export const payload = quoteRequestOf(servedParameters)

/** A body that does not decode is answered in shape A, with the field's name. */
export class QuoteInputErrors extends HttpApiMiddleware.Service<QuoteInputErrors>()("causeway/QuoteInputErrors", {
  error: QuoteBadRequest
}) {}

const quoteErrors = [QuoteBadRequest, QuoteUnauthorized, QuoteUnavailable, QuoteDefect, ...bodyErrors] as const

const headers = Schema.Struct({
  ...idempotencyHeader,
  "x-api-key": Schema.optionalKey(
    Schema.String.annotate({ description: "needed for subsidizeFees; an unknown key is refused, not ignored" })
  )
})

const parts = {
  headers,
  payload: payload.annotate({ identifier: "QuoteRequest" }),
  success: Schema.toCodecJson(Quote).annotate({ identifier: "Quote" }),
  error: quoteErrors
}

export const QuoteApi = HttpApiGroup.make("quote").add(
  HttpApiEndpoint.post("quote", "/quote", parts)
    .annotateMerge(OpenApi.annotations({ identifier: "getQuote", summary: "An executable quote" })),
  HttpApiEndpoint.post("quoteV2", "/quote/v2", parts)
    .annotateMerge(OpenApi.annotations({
      identifier: "getQuoteV2",
      summary: "The same as POST /quote",
      description: "Compatibility alias of /quote; its steps check at /intents/status/v3.",
      override: { "x-compatibility-alias-of": "/quote" }
    })),
  HttpApiEndpoint.post("price", "/price", {
    ...parts,
    success: Schema.toCodecJson(Price).annotate({ identifier: "Price" })
  }).annotateMerge(OpenApi.annotations({
    identifier: "getPrice",
    summary: "What POST /quote would say now, without an order",
    description:
      "Takes the body of POST /quote and gives its fees and details. Nothing is signed, stored or reserved, so nothing can be paid by it. A wallet without money is no refusal: fees.gas and details.userBalance are then 0. Shares the limit of POST /quote."
  }))
).middleware(QuoteInputErrors)
