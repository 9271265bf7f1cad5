/**
 * Answers questions about a chain's contracts, tokens and identity, under the quorum of its endpoints where it has one.
 * The configuration is compared with the answers. Each endpoint gets one batch.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { Ask } from "../../src/domain/configuration/Expectation.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"
import { ofChain } from "./Routing.ts"
import type { Routing } from "./Routing.ts"

/** Answers to what a configuration expects of its chain, in the order of the questions. */
export class ChainFacts extends Context.Service<ChainFacts, {
  /**
   * One answer, as text, for each question, in order. If something could not be read, the call fails: it never becomes
   * an answer.
   */
  readonly read: (chain: Chain, asked: ReadonlyArray<Ask>) => Effect.Effect<ReadonlyArray<string>, ChainUnavailable>
}>()("causeway/ports/ChainFacts") {}

/** The family of each call of this port. */
export const routeChainFacts: Routing<ChainFacts["Service"]> = (to) => ({
  read: to((it) => it.read, ofChain)
})
