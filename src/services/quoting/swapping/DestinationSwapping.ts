/**
 * A quote whose fill swaps on the destination: what the solver has to pay, the calls that swap it, and the price of
 * both.
 *
 * The sources are asked to swap the whole value of the input. This chooses one source and tries the fill. The chosen
 * source is then asked to swap what is left after the fees. The order promises the bridged amount; the source's router
 * enforces the rest. On chains without calls the order promises the swap's output, and the fill is made with a new route
 * (SOLANA-21).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Gas } from "../../../../ports/chain/Gas.ts"
import { Prices } from "../../../../ports/market/Prices.ts"
import { SwapSources } from "../../../../ports/chain/SwapSources.ts"
import { convertFloor } from "../../../domain/money/Currency.ts"
import { minOf } from "../../../domain/money/Rounding.ts"
import { bpsCeil, zeroBps } from "../../../domain/money/Bps.ts"
import type { PermitTerms } from "../../../domain/permit/Permit.ts"
import { totalAppBps } from "../../../domain/quote/pricing/AppFees.ts"
import { pairClass } from "../../../domain/quote/pricing/AssetClass.ts"
import { OUTPUT_DEADLINE_SECONDS } from "../../../domain/quote/assemble/BuildOrder.ts"
import type { SponsorshipTerms } from "../../../domain/quote/pricing/Fees.ts"
import { minimumOut } from "../../../domain/quote/pricing/Pricing.ts"
import { priceRequest } from "../../../domain/quote/pricing/PriceRequest.ts"
import type { PricedRequest } from "../../../domain/quote/pricing/PriceRequest.ts"
import type { QuoteRefused } from "../../../domain/quote/QuoteError.ts"
import type { ResolvedRequest } from "../../../domain/quote/request/ResolveRequest.ts"
import { noSwapRoute } from "../../../domain/quote/UserSwap.ts"
import { bridgedCurrency, swapCalls, takeCall } from "../../../domain/swap/DestinationSwap.ts"
import { swapsInItself } from "../../../domain/swap/FillSwap.ts"
import type { FillSwap } from "../../../domain/swap/FillSwap.ts"
import { unitsOfSwap, unitsWithSwap } from "../../../domain/transfer/payment/CodeUnits.ts"
import { bridgedAmount, costedSource, isSwapBorne } from "../../../domain/swap/SwappedFill.ts"
import type { CostedSource, SwappedPrices } from "../../../domain/swap/SwappedFill.ts"
import type { SwapAsk, SwapQuote } from "../../../domain/swap/SwapQuote.ts"
import { bestOffer } from "../market/BestOffer.ts"
import { heldIn } from "../market/Holdings.ts"
import { gatherMarketFacts, tentativeFill } from "../market/MarketFacts.ts"
import { Policy } from "../../operations/Policy.ts"

/** The quote that the order is made of: what it pays, and the limits of the call that swaps it. */
interface Settled {
  readonly price: PricedRequest
  readonly source: CostedSource
  /** The paid amount is its input. */
  readonly quote: SwapQuote
  readonly limit: bigint
}

type PriceWith = (source: CostedSource) => Effect.Effect<PricedRequest, QuoteRefused>

/** Gas of the allowance before a swap and of handing over its result. */
const AROUND_SWAP_GAS = 150_000n

/** Gas of a fill apart from its swap, where it is not tried: vault, router, executor, allowance, leftovers. */
const AROUND_UNTRIED_GAS = 250_000n

/** How often a source is asked for the input of a sponsored output while the pools move. */
const ROUNDS = 4

const chosenOf = (request: ResolvedRequest, ask: SwapAsk, { bridged, destination }: SwappedPrices) =>
  bestOffer(request, "destination", ask, { from: bridged, to: destination })

const again = Effect.fnUntraced(function*(quote: SwapQuote, exact: SwapAsk["exact"], amount: bigint) {
  const sources = yield* SwapSources
  return (yield* sources.again(quote, { ...quote.ask, exact, amount })) ?? (yield* noSwapRoute(quote.ask))
})

/** A call that takes exactly `paid` and must give at least its minimum output. */
const takingAll = (quote: SwapQuote, paid: bigint): SwapQuote => ({
  ...quote,
  amountIn: paid,
  ask: { ...quote.ask, exact: "in", amount: paid }
})

const swapsItself = ({ destination }: ResolvedRequest): boolean => swapsInItself(destination.family)

/** The swap of a fill that swaps itself: it takes the whole input and gives at least the quote's limit. */
const fillSwapOf = (
  request: ResolvedRequest,
  { amountOut, ask: { exact } }: SwapQuote,
  limit: bigint
): FillSwap | undefined =>
  swapsItself(request)
    ? {
      currency: request.destinationCurrency,
      least: exact === "in" ? limit : amountOut,
      mostHops: request.swaps.mostHops
    }
    : undefined

/** Pays the recipient, or, when the request has calls, the account from which the calls run afterwards. */
const callsOf = Effect.fnUntraced(
  function*(request: ResolvedRequest, quote: SwapQuote, limit: bigint) {
    if (swapsItself(request)) return []
    const { calls, destination, destinationCurrency, recipient } = request
    const sources = yield* SwapSources
    const deadline = Math.floor((yield* Clock.currentTimeMillis) / 1000) + OUTPUT_DEADLINE_SECONDS
    const handover = calls.length === 0 ? undefined : destination.swaps?.handover
    const swap = swapCalls(quote, sources.encode(quote, { recipient: handover ?? recipient, limit, deadline }))
    if (handover === undefined) return [...swap, ...calls]
    return [
      ...swap,
      takeCall(handover, destinationCurrency, quote.ask.exact === "in" ? limit : quote.amountOut),
      ...calls
    ]
  }
)

/**
 * For an exact output. The first answer says which input it takes. The exact input may cost more, within the request's
 * tolerance.
 */
const settleOutput = Effect.fnUntraced(
  function*(request: ResolvedRequest, first: SwapQuote, priceWith: PriceWith, prices: SwappedPrices) {
    const isExact = request.tradeType === "EXACT_OUTPUT"
    const paid = first.amountIn + (isExact ? bpsCeil(first.amountIn, request.slippage ?? zeroBps) : 0n)
    const source = costedSource(first, paid, prices)
    const price = yield* priceWith(source)
    return (isExact
      ? { price, source, quote: { ...first, amountIn: paid }, limit: paid }
      : { price, source, quote: takingAll(first, paid), limit: price.minimumOut }) satisfies Settled
  }
)

/**
 * For an exact input when the user pays for the swap, above a sponsor's cap if there is one: what is left after the
 * other fees is swapped. Undefined when the cap covers the real cost, because then less is left than was asked for.
 */
const settleInput = Effect.fnUntraced(
  function*(first: SwapQuote, priced: PricedRequest, cost: bigint, priceWith: PriceWith, prices: SwappedPrices) {
    const quote = yield* again(first, "in", bridgedAmount(priced.priced, cost, prices))
    const source = costedSource(quote, quote.amountIn, prices)
    const { slippage, ...rest } = yield* priceWith(source)
    const least = minimumOut(quote.amountOut, slippage)
    const price: PricedRequest = { slippage, minimumOut: least, priced: { ...rest.priced, amountOut: quote.amountOut } }
    if (bridgedAmount(price.priced, source.cost, prices) < quote.amountIn) return undefined
    return { price, source, quote, limit: least } satisfies Settled
  }
)

/**
 * For an exact input when a sponsor pays for the swap: the output is what is left after the other fees, and costs at
 * most the counted amount.
 */
const settleBorne = Effect.fnUntraced(
  function*(first: SwapQuote, estimate: CostedSource, priceWith: PriceWith, prices: SwappedPrices) {
    let source = estimate
    let quote: SwapQuote | undefined
    for (let round = 0; round < ROUNDS; round++) {
      const price = yield* priceWith(source)
      const { amountOut } = price.priced
      if (quote?.amountOut !== amountOut) quote = yield* again(first, "out", amountOut)
      const real = costedSource(quote, quote.amountIn, prices)
      if (real.cost <= source.cost) {
        return { price, source, quote: takingAll(quote, quote.amountIn), limit: price.minimumOut } satisfies Settled
      }
      source = real
    }
    return yield* noSwapRoute(first.ask)
  }
)

const settle = Effect.fnUntraced(
  function*(request: ResolvedRequest, first: SwapQuote, priceWith: PriceWith, prices: SwappedPrices) {
    if (request.tradeType !== "EXACT_INPUT") return yield* settleOutput(request, first, priceWith, prices)
    const estimate = costedSource(first, first.amountIn, prices)
    const price = yield* priceWith(estimate)
    const own = isSwapBorne(price.priced)
      ? undefined
      : yield* settleInput(first, price, estimate.cost, priceWith, prices)
    return own ?? (yield* settleBorne(first, estimate, priceWith, prices))
  }
)

/**
 * The amount with which the fill is tried: the whole inventory when the fill may wait for more. Undefined when that is
 * zero, which no source swaps.
 */
const triedQuote = Effect.fnUntraced(
  function*({ calls, destination, externalLiquidity }: ResolvedRequest, first: SwapQuote) {
    if (!externalLiquidity || calls.length > 0) return first
    const held = yield* heldIn({ chain: destination, currency: first.ask.from, holding: "vault" })
    if (held === 0n) return undefined
    return held < first.amountIn ? takingAll(first, minOf(held, first.amountIn)) : first
  }
)

/** Errors: NO_SWAP_ROUTES_FOUND, those of `priceRequest`, and `PaymentRefused` when the fill would revert. */
export const quoteDestinationSwap = Effect.fn("DestinationSwapping.quote")(function*(
  request: ResolvedRequest,
  gasless: PermitTerms | undefined,
  sponsorship: SponsorshipTerms | undefined
) {
  const { destination: chain, destinationCurrency: to, originCurrency } = request
  const [policy, feed] = [yield* Policy, yield* Prices]
  const from = bridgedCurrency(originCurrency, chain)
  if (from === undefined) return yield* noSwapRoute({ from: originCurrency, to }, "no-way")
  const prices: SwappedPrices = yield* Effect.all({
    origin: feed.priceOf(originCurrency),
    bridged: feed.priceOf(from),
    destination: feed.priceOf(to)
  }, { concurrency: "unbounded" })
  // The solver opens no accounts for tokens in the middle. A tried amount has no tolerance: the fill's limit is its own.
  const route = { mostHops: request.swaps.mostHops, sharedAccounts: true, slippage: zeroBps }
  const ask = { chain, from, to, ...(swapsItself(request) ? { route } : {}) }
  const { gasPrice, quote: first, stateGas } = yield* chosenOf(
    request,
    request.tradeType === "EXACT_INPUT"
      ? { ...ask, exact: "in", amount: convertFloor(request.amount, prices.origin, prices.bridged) }
      : { ...ask, exact: "out", amount: request.amount },
    prices
  )
  const possible = yield* triedQuote(request, first)
  const tried = possible ?? first
  const thenCalls = request.calls.length > 0
  const filled = {
    ...request,
    destinationCurrency: from,
    // The request's gas allowance is for its own calls only.
    callsGas: request.callsGas === undefined ? undefined : request.callsGas + first.gas + AROUND_SWAP_GAS,
    leftover: thenCalls ? to.address : undefined
  }
  const tryingLimit = tried.ask.exact === "in" ? 1n : tried.amountIn
  const trying = {
    ...filled,
    calls: yield* callsOf(request, tried, tryingLimit),
    swap: fillSwapOf(request, tried, tryingLimit)
  }
  const market = yield* gatherMarketFacts({ ...trying, gasless }, {
    amount: tried.amountIn,
    tradeType: "EXACT_OUTPUT",
    fillGas: possible === undefined ? (first.gas + AROUND_UNTRIED_GAS + stateGas) * gasPrice : undefined
  })
  // Where its recipient may have code, which then runs in the swap's transaction (PRICE-26). Calls after it are tried.
  const swapUnits = first.gas + AROUND_UNTRIED_GAS
  const codeUnits = market.code === undefined
    ? undefined
    : thenCalls
    ? unitsWithSwap(yield* (yield* Gas).unitsOf(tentativeFill(trying, tried.amountIn)), swapUnits)
    : unitsOfSwap(swapUnits)
  const priceWith: PriceWith = (source) =>
    Effect.fromResult(priceRequest({
      ...market,
      destination: prices.destination,
      source,
      sponsorship,
      paid: request.paid,
      appBps: totalAppBps(request.appFees),
      spreadBps: pairClass(originCurrency, from) === "same" ? zeroBps : policy.spreadOf(originCurrency, from)
    }, request))
  const { limit, price, quote, source } = yield* settle(request, first, priceWith, prices)
  const { amountOut } = price.priced
  return {
    market: { ...market, destination: prices.destination },
    price,
    /** What the solver pays: the bridged currency, with the swap as the order's calls or the fill's own. */
    fill: {
      request: { ...filled, calls: yield* callsOf(request, quote, limit), swap: fillSwapOf(request, quote, limit) },
      market: codeUnits === undefined ? market : { ...market, codeUnits },
      price: { ...price, priced: { ...price.priced, amountOut: quote.amountIn }, minimumOut: quote.amountIn }
    },
    swapped: {
      source: quote.source,
      currency: to.address,
      amountOut,
      minimumOut: price.minimumOut,
      cost: source.cost,
      gas: market.fillGas,
      ...(thenCalls ? { thenCalls } : {}),
      ...(swapsItself(request)
        ? { route: request.swaps.mostHops === undefined ? {} : { mostHops: request.swaps.mostHops } }
        : {})
    }
  }
})
