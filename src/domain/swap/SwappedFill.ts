/**
 * What a swap in the fill costs, and what the solver pays for it: the arithmetic.
 *
 * The cost is counted to the unit, not as a share: the paid bridged currency less the swap's output, both at market
 * prices. Whether user or sponsor pays it, the input covers what the solver pays: `amountIn − userPays + cost` is worth
 * the bridged amount.
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

/** A source with its cost when `paid` of the bridged currency is reserved for it, smallest units. */
export type CostedSource = SourceQuote & { readonly cost: bigint }

/** `paid` may be more than the source asks for. The difference is also a cost, although the swap does not lose it. */
export const costedSource = (
  { amountIn, amountOut }: SwapQuote,
  paid: bigint,
  { bridged, destination, origin }: SwappedPrices
): CostedSource => ({
  amountIn: convertCeil(amountIn, bridged, origin),
  amountOut,
  cost: convertCeil(paid, bridged, origin) - convertFloor(amountOut, destination, origin)
})

/** How much of the bridged currency a price can pay, smallest units. */
export const bridgedAmount = (
  { amountIn, userPays }: Pick<Priced, "amountIn" | "userPays">,
  cost: bigint,
  { bridged, origin }: Pick<SwappedPrices, "bridged" | "origin">
): bigint => {
  const worth = amountIn - userPays + cost
  return worth > 0n ? convertFloor(worth, origin, bridged) : 0n
}

/**
 * True when a sponsor pays for the whole swap. Then the swap's cost does not reduce the output, and the source is asked
 * what input that output takes.
 */
export const isSwapBorne = ({ split }: Pick<Priced, "split">): boolean =>
  split !== undefined && split.components.swap.sponsored > 0n && split.components.swap.userPays === 0n

/**
 * The gas to count when such a fill is repriced. The fill takes exactly the bridged amount, so any rise at all would
 * refund the deposit. The solver therefore bears a rise of up to a quarter over the quoted gas. Smallest units of the
 * native currency.
 */
export const countedGas = (now: bigint, quoted: bigint): bigint =>
  now > quoted && now - quoted <= quoted / 4n ? quoted : now
