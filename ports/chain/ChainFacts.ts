/**
 * Answers questions about a chain's contracts, tokens and identity, under the quorum of its endpoints where it has one:
 * what the configuration is compared with. One batch an endpoint.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { Ask } from "../../src/domain/configuration/Expectation.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"
import { ofChain } from "./Routing.ts"
import type { Routing } from "./Routing.ts"

export class ChainFacts extends Context.Service<ChainFacts, {
  /** One text for each question, in order. What could not be read is a failure, never an answer. */
  readonly read: (chain: Chain, asked: ReadonlyArray<Ask>) => Effect.Effect<ReadonlyArray<string>, ChainUnavailable>
}>()("causeway/ports/ChainFacts") {}

export const routeChainFacts: Routing<ChainFacts["Service"]> = (to) => ({
  read: to((it) => it.read, ofChain)
})
