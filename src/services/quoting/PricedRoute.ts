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

type Swapped = Effect.Success<ReturnType<typeof quoteDestinationSwap>>["swapped"]
type OwnSwap = Effect.Success<ReturnType<typeof quoteUserSwap>>["swap"]

/** What an order is made of: the request, the facts and the price between the currencies that it moves. */
interface OrderTerms {
  readonly request: ResolvedRequest & Pick<Route, "leftover">
  readonly market: MarketFacts
  readonly price: PricedRequest
}

/** A price with the facts that it rests on, in the currencies that the answer shows, and the order behind it. */
interface Shown {
  readonly market: MarketFacts
  readonly price: PricedRequest
  readonly fill: OrderTerms
}

/** What the solver delivers. */
export interface DeliveredRoute extends Shown {
  readonly _tag: "Delivered"
  readonly agreement: Agreement | undefined
  /** What the user swaps before the deposit. */
  readonly before: SwapBefore | undefined
  /** What a swap of the fill gives. */
  readonly swapped: Swapped | undefined
  /** The most that a fill with txs can cost, smallest units of the destination's native currency; zero without. */
  readonly callsMost: bigint
  /** Its fill would have to wait for inventory now, as it allows. */
  readonly waits: boolean
}

/** What a `QuotePlan` comes to once it is priced. */
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
    // Native currency that is wrapped goes through no source.
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

/** What may slip of a swap before the deposit, and what a refund would pay. */
export const swapsFirst = (route: PricedRoute): SwapsFirst | undefined => {
  if (route._tag !== "Delivered" || route.before === undefined) return undefined
  const { before: { amountIn, bridged, expected, minimum, most }, market } = route
  const slip = most > amountIn
    ? { of: market.origin, units: most - amountIn, whole: amountIn }
    : { of: bridged, units: expected - minimum, whole: expected }
  return { slip, refund: { of: bridged, amount: expected } }
}
