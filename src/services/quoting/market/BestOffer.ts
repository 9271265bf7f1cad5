/** The best current quote of the swap sources that a request allows on one of its sides. */
import * as Effect from "effect/Effect"
import { Prices } from "../../../../ports/market/Prices.ts"
import { SwapSources } from "../../../../ports/chain/SwapSources.ts"
import type { PricedCurrency } from "../../../domain/money/Currency.ts"
import type { ResolvedRequest } from "../../../domain/quote/request/ResolveRequest.ts"
import { noSwapCause, noSwapRoute, probeOf } from "../../../domain/quote/UserSwap.ts"
import { chooseSwap } from "../../../domain/swap/ChooseSwap.ts"
import type { SwapPrices } from "../../../domain/swap/ChooseSwap.ts"
import type { SwapAsk } from "../../../domain/swap/SwapQuote.ts"
import type { SwapSource } from "../../../domain/swap/SwapSource.ts"
import { allowedSources } from "../../../domain/swap/ResolveSwapWishes.ts"

/** Asks once more, for little, so that the refusal says whether another amount can help. */
const refusalOf = Effect.fnUntraced(function*(ask: SwapAsk, sources: ReadonlyArray<SwapSource>, prices: SwapPrices) {
  if (sources.length === 0) return noSwapRoute(ask, "no-source")
  const probe = probeOf(ask, prices)
  return yield* (yield* SwapSources).offers(probe, sources).pipe(
    Effect.map((offers) => noSwapCause(ask, probe, chooseSwap(offers, prices, undefined) !== undefined)),
    // The amount was answered: the refusal stands, and says less.
    Effect.catchTag("ChainUnavailable", () => Effect.succeed("now" as const)),
    Effect.map((cause) => noSwapRoute(ask, cause))
  )
})

/** NO_SWAP_ROUTES_FOUND when no allowed source has a quote. */
export const bestOffer = Effect.fnUntraced(function*(
  request: ResolvedRequest,
  side: "origin" | "destination",
  ask: SwapAsk,
  between: { readonly from: PricedCurrency; readonly to: PricedCurrency }
) {
  const [prices, sources] = [yield* Prices, yield* SwapSources]
  const allowed = allowedSources(ask.chain, request.swaps, side)
  const [native, offers] = yield* Effect.all(
    [prices.priceOf(ask.chain.native), sources.offers(ask, allowed)],
    { concurrency: "unbounded" }
  )
  const preferred = request.swaps.noPreference ? undefined : ask.chain.swaps?.preferred
  const priced: SwapPrices = { ...between, native }
  const quote = chooseSwap(offers, priced, preferred) ?? (yield* yield* refusalOf(ask, allowed, priced))
  return { quote, gasPrice: offers.gasPrice, stateGas: offers.stateGas ?? 0n }
})
