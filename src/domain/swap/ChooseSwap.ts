/**
 * Chooses among the swap quotes of one moment: the best output less gas, both in the destination's units, exactly.
 *
 * A preferred source wins while the best source is better by no more than the configured share, unless the request
 * forbids it.
 */
import { WHOLE_BPS } from "../money/Bps.ts"
import { convertCeil } from "../money/Currency.ts"
import type { PricedCurrency } from "../money/Currency.ts"
import type { SwapOffers, SwapQuote } from "./SwapQuote.ts"
import type { ChainSwaps } from "./SwapSource.ts"

/** The prices by which quotes are compared. */
export interface SwapPrices {
  readonly from: PricedCurrency
  readonly to: PricedCurrency
  readonly native: PricedCurrency
}

/** The user's net result: the output less gas and input, so that quotes of either exact side can be compared. */
const worth = (
  { amountIn, amountOut, ask, gas }: SwapQuote,
  gasPrice: bigint,
  { from, native, to }: SwapPrices
): bigint =>
  amountOut - convertCeil(gas * gasPrice, native, to) - (ask.exact === "out" ? convertCeil(amountIn, from, to) : 0n)

/** Best first; among equal ones, the source that was asked first. */
const ranked = ({ gasPrice, quotes }: SwapOffers, prices: SwapPrices) =>
  quotes.filter(({ amountIn, amountOut }) => amountIn > 0n && amountOut > 0n)
    .map((quote) => ({ quote, worth: worth(quote, gasPrice, prices) }))
    .toSorted((one, other) => one.worth === other.worth ? 0 : one.worth > other.worth ? -1 : 1)

/** Undefined when no source gives anything. `preferred` is omitted when the request disables it. */
export const chooseSwap = (
  offers: SwapOffers,
  prices: SwapPrices,
  preferred: ChainSwaps["preferred"]
): SwapQuote | undefined => {
  const all = ranked(offers, prices)
  const [best] = all
  if (best === undefined || preferred === undefined) return best?.quote
  const liked = all.find(({ quote }) => quote.source === preferred.source)
  if (liked === undefined) return best.quote
  const room = (best.quote.amountOut * preferred.withinBps) / WHOLE_BPS
  return best.worth - liked.worth <= room ? liked.quote : best.quote
}
