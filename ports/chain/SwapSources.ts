/** The swap sources of a chain: what they offer now, and the calls that execute a quote. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { RouterCall } from "../../src/domain/order/RouterCall.ts"
import type { UserSwapCall } from "../../src/domain/swap/UserCall.ts"
import type { SwapAsk, SwapOffers, SwapQuote, SwapTerms } from "../../src/domain/swap/SwapQuote.ts"
import type { SwapSource } from "../../src/domain/swap/SwapSource.ts"
import type { Address } from "../../src/domain/chain/Address.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"
import type { Routing } from "./Routing.ts"

/** Quotes of a chain's swap sources, in smallest units, and the calls that execute one. */
export class SwapSources extends Context.Service<SwapSources, {
  /**
   * What each source offers, for each of its paths. Sources that offer nothing are left out. All offers are read from
   * one state.
   */
  readonly offers: (ask: SwapAsk, sources: ReadonlyArray<SwapSource>) => Effect.Effect<SwapOffers, ChainUnavailable>
  /** A quote from the same source by the same path, for another amount; undefined when the source offers nothing. */
  readonly again: (quote: SwapQuote, ask: SwapAsk) => Effect.Effect<SwapQuote | undefined, ChainUnavailable>
  /**
   * The call of the source's router, for a caller that holds the input and has approved it, with exactly the amounts of
   * the quote. Pure. EVM only.
   */
  readonly encode: (quote: SwapQuote, terms: SwapTerms) => RouterCall
  /**
   * What the user is asked to send. Undefined when the source's answer contains something that must never be signed.
   */
  readonly forUser: (
    quote: SwapQuote,
    terms: SwapTerms,
    user: Address
  ) => Effect.Effect<UserSwapCall | undefined, ChainUnavailable>
}>()("causeway/ports/SwapSources") {}

/** The family of each call of this port. */
export const routeSwapSources: Routing<SwapSources["Service"]> = (to) => ({
  offers: to((it) => it.offers, ([{ chain }]) => chain.family),
  again: to((it) => it.again, ([, { chain }]) => chain.family),
  encode: to((it) => it.encode, ([{ ask }]) => ask.chain.family),
  forUser: to((it) => it.forUser, ([{ ask }]) => ask.chain.family)
})
