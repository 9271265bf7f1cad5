/** The price of a swap that the user executes alone, and the call that it is asked to send. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { SwapSources } from "../../../../ports/chain/SwapSources.ts"
import type { ResolvedRequest } from "../../../domain/quote/request/ResolveRequest.ts"
import { priceSend } from "../../../domain/quote/Send.ts"
import type { UserSwapCall } from "../../../domain/swap/UserCall.ts"
import { WRAP_GAS, wrapCall } from "../../../domain/swap/Wrap.ts"
import { askOf, isOwnWrap, noSwapRoute, priceUserSwap, SWAP_SECONDS } from "../../../domain/quote/UserSwap.ts"
import { bestOffer } from "../market/BestOffer.ts"
import { gatherOwnFacts } from "../market/OwnFacts.ts"

/** The best quote of the allowed sources. Errors: those of `priceUserSwap`, NO_SWAP_ROUTES_FOUND. */
export const quoteUserSwap = Effect.fn("UserSwapping.quote")(function*(request: ResolvedRequest) {
  const sources = yield* SwapSources
  const { amount, origin, originCurrency } = request
  const market = yield* gatherOwnFacts(request)
  const wrap: UserSwapCall | undefined = isOwnWrap(request) ? wrapCall(origin, originCurrency, amount) : undefined
  // Wrapping is one for one: no source is asked, and there is no slippage.
  if (wrap !== undefined) {
    return { market, price: priceSend(request), swap: { source: undefined, call: wrap, gas: WRAP_GAS } }
  }
  const ask = askOf(request)
  const prices = { from: market.origin, to: market.destination, native: market.originNative }
  const { quote: chosen } = yield* bestOffer(request, "origin", ask, prices)
  const price = yield* Effect.fromResult(priceUserSwap(request, chosen, prices))
  const seconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const call = yield* sources.forUser(chosen, {
    recipient: request.recipient,
    limit: ask.exact === "in" ? price.minimumOut : chosen.amountIn,
    deadline: seconds + Math.min(SWAP_SECONDS, request.ttlSeconds ?? SWAP_SECONDS)
  }, request.user)
  if (call === undefined) return yield* noSwapRoute(ask)
  return { market, price, swap: { source: chosen.source, call, gas: chosen.gas } }
})
