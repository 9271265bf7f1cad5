/** On-chain price feeds: contracts that publish the value of one whole unit of a currency in dollars. Reads only. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address } from "../../src/domain/chain/Address.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { PriceObservation } from "../../src/domain/market/AgreeOnPrice.ts"
import type { Routing } from "../chain/Routing.ts"

/** An aggregator that publishes the price of a currency in dollars. */
export interface PriceFeed {
  /** The aggregator's chain. */
  readonly chain: Chain
  readonly address: Address
  /** The aggregator publishes at least once in this many seconds. */
  readonly heartbeatSeconds: number
}

/** Prices that contracts publish: dollars for one whole unit, with the time of the answer. Reads only. */
export class PriceFeeds extends Context.Service<PriceFeeds, {
  /**
   * The feed's current answer. Undefined for a round that is not finished, an answer that is not above zero, and a feed
   * that cannot be read. This port does not judge how old an answer may be: the pricing rule does.
   */
  readonly latest: (feed: PriceFeed) => Effect.Effect<PriceObservation | undefined>
}>()("causeway/ports/PriceFeeds") {}

/** The family of each call of this port. */
export const routePriceFeeds: Routing<PriceFeeds["Service"]> = (to) => ({
  latest: to((feeds) => feeds.latest, ([{ chain }]) => chain.family)
})
