/**
 * What a swap in the fill costs, and what the solver pays for it: the part that is arithmetic.
 *
 * The cost is counted to the unit, not as a share: what is paid of the bridged currency against what comes out, both at
 * the market. Whoever pays it, what goes in covers what the solver pays: `amountIn − userPays + cost` is worth the
 * bridged amount.
 */
import { convertCeil, convertFloor } from "../money/Currency.ts"
import type { PricedCurrency } from "../money/Currency.ts"
import type { Priced } from "../quote/pricing/Pricing.ts"
import type { SourceQuote } from "../quote/pricing/SwapCost.ts"
import type { SwapQuote } from "./SwapQuote.ts"

/** The three currencies of such a transfer. */
export interface SwappedPrices {
  readonly origin: PricedCurrency
  readonly bridged: PricedCurrency
  readonly destination: PricedCurrency
}

/** A source with its cost where `paid` of the bridged currency is set aside for it, smallest units. */
export type CostedSource = SourceQuote & { readonly cost: bigint }

/**
 * `paid` may be more than the source asks for: then the rest is a cost as well, although nothing that the swap loses.
 */
export const costedSource = (
  { amountIn, amountOut }: SwapQuote,
  paid: bigint,
  { bridged, destination, origin }: SwappedPrices
): CostedSource => ({
  amountIn: convertCeil(amountIn, bridged, origin),
  amountOut,
  cost: convertCeil(paid, bridged, origin) - convertFloor(amountOut, destination, origin)
})

/** What of the bridged currency a price has room for, smallest units. */
export const bridgedAmount = (
  { amountIn, userPays }: Pick<Priced, "amountIn" | "userPays">,
  cost: bigint,
  { bridged, origin }: Pick<SwappedPrices, "bridged" | "origin">
): bigint => {
  const worth = amountIn - userPays + cost
  return worth > 0n ? convertFloor(worth, origin, bridged) : 0n
}

/**
 * True when a sponsor pays for all of the swap: then its cost takes nothing off the output, and the source is asked
 * what that takes.
 */
export const isSwapBorne = ({ split }: Pick<Priced, "split">): boolean =>
  split !== undefined && split.components.swap.sponsored > 0n && split.components.swap.userPays === 0n

/**
 * What gas counts as when such a fill is priced anew: it takes exactly the bridged amount, so that any rise at all
 * would send the deposit back. Up to a quarter more than was quoted is the solver's. Smallest units of the native
 * currency.
 */
export const countedGas = (now: bigint, quoted: bigint): bigint =>
  now > quoted && now - quoted <= quoted / 4n ? quoted : now
