/** A priced route, before there is an order: prices, who pays, and the swaps on the way. */
import type * as Effect from "effect/Effect"
import type { RouteSwaps, SwapsFirst } from "../../domain/quote/assemble/AssembleDetails.ts"
import type { PricedRequest } from "../../domain/quote/pricing/PriceRequest.ts"
import type { ResolvedRequest } from "../../domain/quote/request/ResolveRequest.ts"
import type { Agreement } from "../../domain/sponsorship/Agreement.ts"
import type { quoteDestinationSwap } from "./swapping/DestinationSwapping.ts"
import type { MarketFacts, Route } from "./market/MarketFacts.ts"
import type { SwapBefore } from "./swapping/OriginSwapping.ts"
import type { quoteUserSwap } from "./swapping/UserSwapping.ts"

type Swapped = Effect.Success<ReturnType<typeof quoteDestinationSwap>>["swapped"]
type OwnSwap = Effect.Success<ReturnType<typeof quoteUserSwap>>["swap"]

/** The input of an order: the request, the market facts and the price between the currencies that the order moves. */
interface OrderTerms {
  readonly request: ResolvedRequest & Pick<Route, "leftover" | "swap">
  readonly market: MarketFacts
  readonly price: PricedRequest
}

/** A price with its market facts, in the currencies that the answer shows, and the order behind it. */
interface Shown {
  readonly market: MarketFacts
  readonly price: PricedRequest
  readonly fill: OrderTerms
}

/** A route that the solver delivers. */
export interface DeliveredRoute extends Shown {
  readonly _tag: "Delivered"
  readonly agreement: Agreement | undefined
  /** The user's swap before the deposit. */
  readonly before: SwapBefore | undefined
  /** The result of a swap in the fill. */
  readonly swapped: Swapped | undefined
  /** The most that a fill with txs can cost, smallest units of the destination's native currency; zero without. */
  readonly callsMost: bigint
  /** True when its fill would now have to wait for inventory, which the request allows. */
  readonly waits: boolean
}

/** The result of pricing a `QuotePlan`. */
export type PricedRoute =
  | (Shown & { readonly _tag: "Send" })
  | (Shown & { readonly _tag: "UserSwap"; readonly swap: OwnSwap })
  | DeliveredRoute

/** The swaps of the route, as the answer shows them. */
export const routeSwaps = (route: PricedRoute): RouteSwaps | undefined => {
  const { market, price } = route
  if (route._tag === "Send") return undefined
  if (route._tag === "UserSwap") {
    const { source } = route.swap
    const between = { of: market.destination, amount: price.priced.amountOut, minimum: price.minimumOut }
    // Wrapping native currency uses no source.
    return source === undefined ? undefined : { origin: { source, between } }
  }
  const { before, fill, swapped } = route
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

/** The slippage of a swap before the deposit, and what a refund would pay. */
export const swapsFirst = (route: PricedRoute): SwapsFirst | undefined => {
  if (route._tag !== "Delivered" || route.before === undefined) return undefined
  const { before: { amountIn, bridged, expected, minimum, most }, market } = route
  const slip = most > amountIn
    ? { of: market.origin, units: most - amountIn, whole: amountIn }
    : { of: bridged, units: expected - minimum, whole: expected }
  return { slip, refund: { of: bridged, amount: expected } }
}
