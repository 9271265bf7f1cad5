/**
 * A quote whose fill swaps on the destination: what the solver has to pay, the calls that swap it, and the price of both.
 *
 * The source is asked for all that the input is worth, which prices the swap; then for what is left after the fees, which is
 * what the order pays and swaps. The order promises the bridged amount; the router of the source enforces the rest.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Prices } from "../../ports/Prices.ts"
import { SwapSources } from "../../ports/SwapSources.ts"
import { convertCeil, convertFloor } from "../domain/money/Currency.ts"
import { bpsCeil, zeroBps } from "../domain/money/Bps.ts"
import type { PermitTerms } from "../domain/permit/Permit.ts"
import { totalAppBps } from "../domain/quote/AppFees.ts"
import { pairClass } from "../domain/quote/AssetClass.ts"
import { OUTPUT_DEADLINE_SECONDS } from "../domain/quote/BuildOrder.ts"
import { priceRequest } from "../domain/quote/PriceRequest.ts"
import type { ResolvedRequest } from "../domain/quote/ResolveRequest.ts"
import { noSwapRoute } from "../domain/quote/UserSwap.ts"
import { chooseSwap } from "../domain/swap/ChooseSwap.ts"
import { bridgedCurrency, swapCalls } from "../domain/swap/DestinationSwap.ts"
import type { SwapAsk, SwapQuote } from "../domain/swap/SwapQuote.ts"
import type { SwapSource } from "../domain/swap/SwapSource.ts"
import { allowedSources } from "../domain/swap/SwapWishes.ts"
import { gatherMarketFacts } from "./MarketFacts.ts"
import { Policy } from "./Policy.ts"

/** What the allowed sources give now, by the best of them. NO_SWAP_ROUTES_FOUND. */
export const asked = Effect.fnUntraced(function*(request: ResolvedRequest, ask: SwapAsk, among: ReadonlyArray<SwapSource>) {
  const [prices, sources] = [yield* Prices, yield* SwapSources]
  const [from, to, native, offers] = yield* Effect.all([
    prices.priceOf(ask.from),
    prices.priceOf(ask.to),
    prices.priceOf(ask.chain.native),
    sources.offers(ask, among)
  ], { concurrency: "unbounded" })
  const preferred = request.swaps.noPreference ? undefined : ask.chain.swaps?.preferred
  const chosen = chooseSwap(offers, { from, to, native }, preferred)
  return chosen === undefined ? yield* noSwapRoute(ask) : { chosen, from, to }
})

const callsOf = Effect.fnUntraced(function*({ recipient }: ResolvedRequest, quote: SwapQuote, limit: bigint) {
  const sources = yield* SwapSources
  const deadline = Math.floor((yield* Clock.currentTimeMillis) / 1000) + OUTPUT_DEADLINE_SECONDS
  return swapCalls(quote, sources.encode(quote, { recipient, limit, deadline }))
})

/** What the order pays, and the call that it is swapped by. An exact output may cost so much more as the request's own tolerance says. */
const settled = Effect.fnUntraced(function*(request: ResolvedRequest, ask: Omit<SwapAsk, "exact" | "amount">, out: bigint, least: bigint, among: ReadonlyArray<SwapSource>) {
  const { chosen: needed } = yield* asked(request, { ...ask, exact: "out", amount: out }, among)
  if (request.tradeType === "EXACT_OUTPUT") {
    const most = needed.amountIn + bpsCeil(needed.amountIn, request.slippage ?? zeroBps)
    const quote: SwapQuote = { ...needed, amountIn: most }
    return { quote, amountOut: out, calls: yield* callsOf(request, quote, most) }
  }
  const { chosen: quote } = yield* asked(request, { ...ask, exact: "in", amount: needed.amountIn }, among.filter(({ id }) => id === needed.source))
  // What was asked for is shown; the source may give a few units more of it.
  return { quote, amountOut: request.tradeType === "EXACT_INPUT" ? quote.amountOut : out, calls: yield* callsOf(request, quote, least) }
})

/** Refusals: NO_SWAP_ROUTES_FOUND, and those of `priceRequest`; `PaymentRefused` when the fill would revert. */
export const quoteDestinationSwap = Effect.fn("DestinationSwapping.quote")(function*(request: ResolvedRequest, gasless: PermitTerms | undefined) {
  const { destination: chain, destinationCurrency: to, originCurrency } = request
  const [policy, prices] = [yield* Policy, yield* Prices]
  const from = bridgedCurrency(originCurrency, chain)
  if (from === undefined) return yield* noSwapRoute({ from: originCurrency, to })
  const among = allowedSources(chain, request.swaps, "destination")
  const [origin, bridged] = yield* Effect.all([prices.priceOf(originCurrency), prices.priceOf(from)])
  const ask = { chain, from, to }
  const whole: SwapAsk = request.tradeType === "EXACT_INPUT"
    ? { ...ask, exact: "in", amount: convertFloor(request.amount, origin, bridged) }
    : { ...ask, exact: "out", amount: request.amount }
  const { chosen: first, to: destination } = yield* asked(request, whole, among)
  const tried: ResolvedRequest = { ...request, destinationCurrency: from, calls: yield* callsOf(request, first, first.ask.exact === "in" ? 1n : first.amountIn) }
  const market = yield* gatherMarketFacts({ ...tried, gasless }, { amount: first.amountIn, tradeType: "EXACT_OUTPUT" })
  const spreadBps = pairClass(originCurrency, from) === "same" ? zeroBps : policy.spreadOf(originCurrency, from)
  const price = yield* Effect.fromResult(priceRequest({
    ...market,
    destination,
    source: { amountIn: convertCeil(first.amountIn, bridged, origin), amountOut: first.amountOut },
    appBps: totalAppBps(request.appFees),
    spreadBps
  }, request))
  const { amountOut, calls, quote } = yield* settled(request, ask, price.priced.amountOut, price.minimumOut, among)
  const shown = { ...price, priced: { ...price.priced, amountOut } }
  return {
    market: { ...market, destination },
    price: shown,
    agreement: undefined,
    /** What the order is made of: the bridged currency, and the swap as its calls. */
    fill: {
      request: { ...tried, calls },
      market,
      price: { ...price, priced: { ...price.priced, amountOut: quote.amountIn }, minimumOut: quote.amountIn }
    },
    swapped: { source: quote.source, currency: to.address, amountOut, minimumOut: price.minimumOut }
  }
})
