/**
 * The facts of a user's own swap, and the call that it is asked to send: the best quote of the sources that it allows.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Prices } from "../../../ports/market/Prices.ts"
import { SwapSources } from "../../../ports/chain/SwapSources.ts"
import type { ResolvedRequest } from "../../domain/quote/request/ResolveRequest.ts"
import { priceSend } from "../../domain/quote/Send.ts"
import { WRAP_GAS, wrapCall } from "../../domain/swap/Wrap.ts"
import type { UserSwapCall } from "../../domain/swap/UserCall.ts"
import { askOf, isOwnWrap, noSwapRoute, priceUserSwap, SWAP_SECONDS } from "../../domain/quote/UserSwap.ts"
import { bestOffer } from "./BestOffer.ts"
import type { MarketFacts } from "./market/MarketFacts.ts"

/** One for one: nobody is asked, and nothing can slip. */
const quoteWrap = Effect.fnUntraced(function*(request: ResolvedRequest, call: UserSwapCall) {
  const prices = yield* Prices
  const [from, to, native] = yield* Effect.all([
    prices.priceOf(request.originCurrency),
    prices.priceOf(request.destinationCurrency),
    prices.priceOf(request.origin.native)
  ], { concurrency: "unbounded" })
  const market: MarketFacts = {
    origin: from,
    destination: to,
    originNative: native,
    destinationNative: native,
    fillGas: 0n,
    refundGas: 0n
  }
  return { market, price: priceSend(request), agreement: undefined, swap: { source: undefined, call, gas: WRAP_GAS } }
})

/** Refusals: those of `priceUserSwap`, NO_SWAP_ROUTES_FOUND. */
export const quoteUserSwap = Effect.fn("UserSwapping.quote")(function*(request: ResolvedRequest) {
  const [prices, sources] = [yield* Prices, yield* SwapSources]
  const { amount, origin, originCurrency } = request
  const wrap = isOwnWrap(request) ? wrapCall(origin, originCurrency, amount) : undefined
  if (wrap !== undefined) return yield* quoteWrap(request, wrap)
  const ask = askOf(request)
  const [from, to, native] = yield* Effect.all([
    prices.priceOf(ask.from),
    prices.priceOf(ask.to),
    prices.priceOf(origin.native)
  ], { concurrency: "unbounded" })
  const { quote: chosen } = yield* bestOffer(request, "origin", ask, { from, to })
  const price = yield* Effect.fromResult(priceUserSwap(request, chosen, { from, to, native }))
  const seconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const call = yield* sources.forUser(chosen, {
    recipient: request.recipient,
    limit: ask.exact === "in" ? price.minimumOut : chosen.amountIn,
    deadline: seconds + Math.min(SWAP_SECONDS, request.ttlSeconds ?? SWAP_SECONDS)
  }, request.user)
  if (call === undefined) return yield* noSwapRoute(ask)
  const market: MarketFacts = {
    origin: from,
    destination: to,
    originNative: native,
    destinationNative: native,
    fillGas: 0n,
    refundGas: 0n
  }
  return { market, price, agreement: undefined, swap: { source: chosen.source, call, gas: chosen.gas } }
})
