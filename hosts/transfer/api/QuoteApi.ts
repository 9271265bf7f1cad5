/** POST /quote (spec/1 §4.2): definition only, no server code. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, OpenApi } from "effect/http-api"
import { QuoteRequest } from "../../../src/domain/quote/QuoteRequest.ts"
import { Quote } from "../../../src/domain/quote/wire/Quote.ts"
import { QuoteBadRequest, QuoteDefect, QuoteUnavailable } from "./QuoteErrors.ts"

/** Bodies that do not decode are answered in shape A, with the field's name. */
export class QuoteInputErrors extends HttpApiMiddleware.Service<QuoteInputErrors>()("causeway/QuoteInputErrors", {
  error: QuoteBadRequest
}) {}

const quoteErrors = [QuoteBadRequest, QuoteUnavailable, QuoteDefect] as const

export const QuoteApi = HttpApiGroup.make("quote").add(
  HttpApiEndpoint.post("quote", "/quote", { payload: QuoteRequest, success: Schema.toCodecJson(Quote), error: quoteErrors })
    .annotateMerge(OpenApi.annotations({ identifier: "getQuote", summary: "An executable quote" })),
  HttpApiEndpoint.post("quoteV2", "/quote/v2", { payload: QuoteRequest, success: Schema.toCodecJson(Quote), error: quoteErrors })
    .annotateMerge(OpenApi.annotations({ identifier: "getQuoteV2", summary: "The same as POST /quote", description: "Compatibility alias of /quote; its steps check at /intents/status/v3." }))
).middleware(QuoteInputErrors)
