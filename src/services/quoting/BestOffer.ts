/** The best current quote of the swap sources that a request allows on one of its sides. */
import * as Effect from "effect/Effect"
import { Prices } from "../../../ports/market/Prices.ts"
import { SwapSources } from "../../../ports/chain/SwapSources.ts"
import type { PricedCurrency } from "../../domain/money/Currency.ts"
import type { ResolvedRequest } from "../../domain/quote/request/ResolveRequest.ts"
import { noSwapRoute } from "../../domain/quote/UserSwap.ts"
import { chooseSwap } from "../../domain/swap/ChooseSwap.ts"
import type { SwapAsk } from "../../domain/swap/SwapQuote.ts"
import { allowedSources } from "../../domain/swap/SwapWishes.ts"

/** NO_SWAP_ROUTES_FOUND when no allowed source has a quote. */
export const bestOffer = Effect.fnUntraced(function*(
  request: ResolvedRequest,
  side: "origin" | "destination",
  ask: SwapAsk,
  between: { readonly from: PricedCurrency; readonly to: PricedCurrency }
) {
  const [prices, sources] = [yield* Prices, yield* SwapSources]
  const [native, offers] = yield* Effect.all(
    [prices.priceOf(ask.chain.native), sources.offers(ask, allowedSources(ask.chain, request.swaps, side))],
    { concurrency: "unbounded" }
  )
  const preferred = request.swaps.noPreference ? undefined : ask.chain.swaps?.preferred
  const quote = chooseSwap(offers, { ...between, native }, preferred) ?? (yield* noSwapRoute(ask))
  return { quote, gasPrice: offers.gasPrice }
})
