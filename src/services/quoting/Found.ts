/** What a quote comes to before there is an order: prices, who pays, and the swaps on the way. */
import type * as Effect from "effect/Effect"
import type { RouteSwaps, SwapsFirst } from "../../domain/quote/assemble/AssembleDetails.ts"
import type { PricedRequest } from "../../domain/quote/pricing/PriceRequest.ts"
import type { ResolvedRequest } from "../../domain/quote/request/ResolveRequest.ts"
import type { Agreement } from "../../domain/sponsorship/Agreement.ts"
import type { quoteDestinationSwap } from "./DestinationSwapping.ts"
import type { MarketFacts, Route } from "./market/MarketFacts.ts"
import type { SwapBefore } from "./OriginSwapping.ts"
import type { quoteUserSwap } from "./UserSwapping.ts"

type Swapped = Effect.Success<ReturnType<typeof quoteDestinationSwap>>

/** A price with the facts that it rests on, in the currencies that the answer shows. */
export interface Found {
  readonly market: MarketFacts
  readonly price: PricedRequest
  readonly agreement: Agreement | undefined
  /** The call of a swap that its user carries out. */
  readonly swap?: OwnSwap
  /** What the user swaps before the deposit. */
  readonly before?: SwapBefore
  /**
   * What the order is made of where something is swapped before the deposit or in the fill; and what comes out of the
   * latter.
   */
  readonly fill?: {
    readonly request: ResolvedRequest & Pick<Route, "leftover">
    readonly market: MarketFacts
    readonly price: PricedRequest
  }
  readonly swapped?: Swapped["swapped"]
  /**
   * The most that a fill with txs can cost, smallest units of the destination's native currency; absent or zero
   * without.
   */
  readonly callsMost?: bigint
  /** Its fill would have to wait for inventory now, as it allows; absent where it cannot be. */
  readonly waits?: boolean
}

/** The swaps of the route, as the answer shows them. */
export const routeSwaps = ({ before, fill, market, price, swap, swapped }: Found): RouteSwaps | undefined => {
  // Native currency that is wrapped goes through no source.
  if (swap !== undefined) {
    return swap.source === undefined
      ? undefined
      : {
        origin: {
          source: swap.source,
          between: { of: market.destination, amount: price.priced.amountOut, minimum: price.minimumOut }
        }
      }
  }
  if (fill === undefined) return undefined
  const { market: { destination: of }, price: { minimumOut: minimum, priced: { amountOut: amount } } } = fill
  return {
    ...(before === undefined
      ? {}
      : {
        origin: {
          source: before.source,
          between: { of: before.bridged, amount: before.expected, minimum: before.minimum }
        }
      }),
    ...(swapped === undefined ? {} : { destination: { source: swapped.source, between: { of, amount, minimum } } })
  }
}

/** What may slip of a swap before the deposit, and what a refund would pay. */
export const swapsFirst = ({ before, market }: Found): SwapsFirst | undefined => {
  if (before === undefined) return undefined
  const { amountIn, bridged, expected, minimum, most } = before
  const slip = most > amountIn
    ? { of: market.origin, units: most - amountIn, whole: amountIn }
    : { of: bridged, units: expected - minimum, whole: expected }
  return { slip, refund: { of: bridged, amount: expected } }
}

export type OwnSwap = Effect.Success<ReturnType<typeof quoteUserSwap>>["swap"]
