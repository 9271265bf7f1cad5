/** The swap sources of a chain: what they give now, and the calls that carry a quote out. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { RouterCall } from "../../src/domain/order/RouterCall.ts"
import type { UserSwapCall } from "../../src/domain/swap/UserCall.ts"
import type { SwapAsk, SwapOffers, SwapQuote, SwapTerms } from "../../src/domain/swap/SwapQuote.ts"
import type { SwapSource } from "../../src/domain/swap/SwapSource.ts"
import type { Address } from "../../src/domain/chain/Address.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"
import type { Routing } from "./Routing.ts"

export class SwapSources extends Context.Service<SwapSources, {
  /**
   * What each source gives, by each path that it has; a source that gives nothing is not among them. One read of one
   * state.
   */
  readonly offers: (ask: SwapAsk, sources: ReadonlyArray<SwapSource>) => Effect.Effect<SwapOffers, ChainUnavailable>
  /** The same source by the same way, for another amount: undefined when it gives nothing. */
  readonly again: (quote: SwapQuote, ask: SwapAsk) => Effect.Effect<SwapQuote | undefined, ChainUnavailable>
  /**
   * The call of the source's router, by whoever holds and has allowed the input; with exactly the amounts of the quote.
   * Pure; of EVM only.
   */
  readonly encode: (quote: SwapQuote, terms: SwapTerms) => RouterCall
  /** What the user itself is asked to send. Undefined where the source asks for something that nobody may sign. */
  readonly forUser: (
    quote: SwapQuote,
    terms: SwapTerms,
    user: Address
  ) => Effect.Effect<UserSwapCall | undefined, ChainUnavailable>
}>()("causeway/ports/SwapSources") {}

export const routeSwapSources: Routing<SwapSources["Service"]> = (to) => ({
  offers: to((it) => it.offers, ([{ chain }]) => chain.family),
  again: to((it) => it.again, ([, { chain }]) => chain.family),
  encode: to((it) => it.encode, ([{ ask }]) => ask.chain.family),
  forUser: to((it) => it.forUser, ([{ ask }]) => ask.chain.family)
})
