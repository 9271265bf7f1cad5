/**
 * A quote whose user swaps before the deposit: what the source gives for the user's payment, the price of the resulting
 * deposit, and both as one.
 *
 * The deposit is priced like any deposit in the bridged currency, and priced again when it arrives. The minimum output
 * of the swap is the smallest deposit that still delivers the quote's minimum at its price.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Prices } from "../../../../ports/market/Prices.ts"
import { SwapSources } from "../../../../ports/chain/SwapSources.ts"
import type { Currency } from "../../../domain/money/Currency.ts"
import { bpsCeil, zeroBps } from "../../../domain/money/Bps.ts"
import { minOf } from "../../../domain/money/Rounding.ts"
import { totalAppBps } from "../../../domain/quote/pricing/AppFees.ts"
import type { SponsorshipTerms } from "../../../domain/quote/pricing/Fees.ts"
import { isSwapImpactTooHigh } from "../../../domain/quote/pricing/Impact.ts"
import { asDeposited, depositedCurrency, routeOfSwap } from "../../../domain/quote/OriginSwap.ts"
import { pricedAsPaid } from "../../../domain/quote/pricing/PaidPrice.ts"
import { priceRequest, swapImpactTooHigh } from "../../../domain/quote/pricing/PriceRequest.ts"
import type { PricedRequest } from "../../../domain/quote/pricing/PriceRequest.ts"
import type { ResolvedRequest } from "../../../domain/quote/request/ResolveRequest.ts"
import { noSwapRoute, SWAP_SECONDS } from "../../../domain/quote/UserSwap.ts"
import { minimumOut } from "../../../domain/quote/pricing/Pricing.ts"
import type { Address } from "../../../domain/chain/Address.ts"
import type { SwapAsk, SwapQuote, SwapTerms } from "../../../domain/swap/SwapQuote.ts"
import { bestOffer } from "../market/BestOffer.ts"
import type { MarketFacts } from "../market/MarketFacts.ts"
import { Policy } from "../../operations/Policy.ts"

/** A deposit's price, and the order behind it. */
export interface DepositPrice {
  readonly market: MarketFacts
  readonly price: PricedRequest
  readonly fill: { readonly request: ResolvedRequest; readonly market: MarketFacts; readonly price: PricedRequest }
}

/** The smallest deposit for which the order is filled at this price. Never more than the expected deposit. */
const leastDeposit = Effect.fnUntraced(
  function*(
    request: ResolvedRequest,
    { fill: order }: DepositPrice,
    sponsorship: SponsorshipTerms | undefined,
    expected: bigint
  ) {
    const policy = yield* Policy
    const least = yield* Effect.fromResult(priceRequest({
      ...order.market,
      sponsorship,
      appBps: totalAppBps(request.appFees),
      spreadBps: policy.spreadOf(request.originCurrency, order.request.destinationCurrency),
      paid: request.paid,
      received: request.destinationCurrency
    }, { amount: order.price.minimumOut, tradeType: "EXACT_OUTPUT", slippage: undefined, overridePriceImpact: true }))
    return minOf(least.priced.amountIn, expected)
  }
)

interface Side {
  readonly quote: SwapQuote
  /** The most that the user pays, smallest units of its currency. */
  readonly most: bigint
}

/** How often the source is asked again while the pools move. */
const ROUNDS = 4

/**
 * The input for a required deposit: either exactly that deposit for at most the tolerance more, or an input that now
 * gives at least that deposit. A smaller deposit would have a price of its own, shown with the output of this one.
 */
const inputOf = Effect.fnUntraced(function*(request: ResolvedRequest, needed: SwapQuote) {
  if (request.tradeType === "EXACT_OUTPUT") {
    return {
      quote: needed,
      most: needed.amountIn + bpsCeil(needed.amountIn, request.slippage ?? zeroBps)
    } satisfies Side
  }
  const sources = yield* SwapSources
  let input = needed
  for (let round = 0; round < ROUNDS; round++) {
    const quote = yield* sources.again(input, { ...input.ask, exact: "in", amount: input.amountIn })
    if (quote !== undefined && quote.amountOut >= needed.amountOut) {
      return { quote, most: quote.amountIn } satisfies Side
    }
    input = (yield* sources.again(needed, needed.ask)) ?? (yield* noSwapRoute(needed.ask))
  }
  return yield* noSwapRoute(needed.ask)
})

/**
 * A router pays the SwapDepositor and enforces the least deposit. On Solana a route pays its user and enforces only the
 * tolerance that it was asked with, which is never stricter; the program around it measures the gain and enforces the
 * least deposit.
 */
const limitsOf = (
  { user }: ResolvedRequest,
  depositor: Address,
  { most, quote: { amountOut, ask: { exact, route } } }: Side,
  minimum: bigint
): Pick<SwapTerms, "limit" | "recipient"> =>
  route === undefined
    ? { recipient: depositor, limit: exact === "in" ? minimum : most }
    : { recipient: user, limit: exact === "in" ? minimumOut(amountOut, route.slippage) : most }

/** Errors: NO_SWAP_ROUTES_FOUND, SWAP_IMPACT_TOO_HIGH, and those of `priced`, which prices the deposit. */
export const quoteOriginSwap = Effect.fn("OriginSwapping.quote")(function*<A extends DepositPrice, E, R>(
  request: ResolvedRequest,
  sponsorship: SponsorshipTerms | undefined,
  priced: (deposited: ResolvedRequest) => Effect.Effect<A, E, R>
) {
  const { amount, origin, originCurrency: from, tradeType } = request
  const [prices, sources] = [yield* Prices, yield* SwapSources]
  const to = depositedCurrency(request)
  const depositor = origin.swaps?.depositor
  if (to === undefined || depositor === undefined) {
    return yield* noSwapRoute({ from, to: to ?? request.destinationCurrency }, "no-way")
  }
  const [paid, bridged] = yield* Effect.all([prices.priceOf(from), prices.priceOf(to)])
  const ask = { chain: origin, from, to, ...routeOfSwap(request) }
  const best = (wanted: SwapAsk) =>
    Effect.map(bestOffer(request, "origin", wanted, { from: paid, to: bridged }), ({ quote }) => quote)
  const first = tradeType === "EXACT_INPUT" ? yield* best({ ...ask, exact: "in", amount }) : undefined
  const deposited = asDeposited(request, to, first?.amountOut ?? amount)
  const found = yield* priced(deposited)
  const { most, quote } = first === undefined
    ? yield* inputOf(request, yield* best({ ...ask, exact: "out", amount: found.price.priced.amountIn }))
    : { quote: first, most: first.amountIn }
  const expected = quote.amountOut
  const minimum = tradeType === "EXACT_OUTPUT" ? expected : yield* leastDeposit(deposited, found, sponsorship, expected)
  const shown = pricedAsPaid(found.price.priced, { amount: quote.amountIn, paid, deposited: bridged })
  // Checked for this swap alone and together with a swap in the fill.
  if (!request.overridePriceImpact && isSwapImpactTooHigh(shown)) return yield* swapImpactTooHigh
  const seconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const call = yield* sources.forUser(
    quote,
    {
      ...limitsOf(request, depositor, { quote, most }, minimum),
      deadline: seconds + Math.min(SWAP_SECONDS, request.ttlSeconds ?? SWAP_SECONDS)
    },
    request.user
  )
  if (call === undefined) return yield* noSwapRoute(ask)
  const order = found.fill
  return {
    found,
    market: { ...found.market, origin: paid },
    price: { ...found.price, priced: shown },
    fill: { ...order, price: { ...order.price, priced: { ...order.price.priced, amountIn: expected } } },
    before: {
      source: quote.source,
      depositor,
      output: to satisfies Currency,
      call,
      gas: quote.gas,
      bridged,
      expected,
      minimum,
      amountIn: quote.amountIn,
      most
    }
  }
})

/** The swap before the deposit, as it was quoted. */
export type SwapBefore = Effect.Success<ReturnType<typeof quoteOriginSwap>>["before"]
