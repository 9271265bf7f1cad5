/** The price of a send, which has none: what is paid in arrives. */
import * as Effect from "effect/Effect"
import { Prices } from "../../../ports/market/Prices.ts"
import type { QuoteRequest } from "../../domain/quote/request/QuoteRequest.ts"
import type { ResolvedRequest } from "../../domain/quote/request/ResolveRequest.ts"
import { checkSend, priceSend } from "../../domain/quote/Send.ts"
import type { MarketFacts } from "./market/MarketFacts.ts"

/** INVALID_REQUEST for what a send cannot do. */
export const priceSent = Effect.fnUntraced(function*(request: ResolvedRequest, body: QuoteRequest) {
  const prices = yield* Prices
  yield* Effect.fromResult(checkSend(body, request))
  const [own, native] = yield* Effect.all([
    prices.priceOf(request.originCurrency),
    prices.priceOf(request.origin.native)
  ], { concurrency: "unbounded" })
  const market: MarketFacts = {
    origin: own,
    destination: own,
    originNative: native,
    destinationNative: native,
    fillGas: 0n,
    refundGas: 0n
  }
  return { market, price: priceSend(request), agreement: undefined }
})
