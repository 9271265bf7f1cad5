/** What a quote comes to before there is an order: prices, who pays, and the swaps on the way. */
import type * as Effect from "effect/Effect"
import type { RouteSwaps } from "../../domain/quote/AssembleDetails.ts"
import type { PricedRequest } from "../../domain/quote/PriceRequest.ts"
import type { Agreement } from "../../domain/sponsorship/Agreement.ts"
import type { quoteDestinationSwap } from "../DestinationSwapping.ts"
import type { MarketFacts } from "../MarketFacts.ts"
import type { quoteUserSwap } from "../UserSwapping.ts"

type Swapped = Effect.Success<ReturnType<typeof quoteDestinationSwap>>

/** A price with the facts that it rests on, in the currencies that the answer shows. */
export interface Found {
  readonly market: MarketFacts
  readonly price: PricedRequest
  readonly agreement: Agreement | undefined
  /** The call of a swap that its user carries out. */
  readonly swap?: OwnSwap
  /** What the order is made of where the fill swaps, and what comes out of it. */
  readonly fill?: Swapped["fill"]
  readonly swapped?: Swapped["swapped"]
  /** Its fill would have to wait for inventory now, as it allows; absent where it cannot be. */
  readonly waits?: boolean
}

/** The swaps of the route, as the answer shows them. */
export const routeSwaps = ({ fill, market, price, swap, swapped }: Found): RouteSwaps | undefined => {
  // Native currency that is wrapped goes through no source.
  if (swap !== undefined) return swap.source === undefined ? undefined : { origin: { source: swap.source, between: { of: market.destination, amount: price.priced.amountOut, minimum: price.minimumOut } } }
  if (fill === undefined || swapped === undefined) return undefined
  const { market: { destination: of }, price: { minimumOut: minimum, priced: { amountOut: amount } } } = fill
  return { destination: { source: swapped.source, between: { of, amount, minimum } } }
}

export type OwnSwap = Effect.Success<ReturnType<typeof quoteUserSwap>>["swap"]
