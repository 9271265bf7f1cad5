/**
 * Reads what a chain shows about transactions, under the quorum of its endpoints (QUORUM-1). It returns evidence, never
 * a verdict.
 *
 * An observation is what k of n endpoints agree on at one pinned block. Concurrent requests for one transaction share
 * one read, and final evidence may be cached. Not for finding transactions: that is `DepositWatcher`.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../src/domain/chain/TransactionId.ts"
import type { Hints } from "../../src/domain/families/Hints.ts"
import type { Observation } from "../../src/domain/evidence/TransactionEvidence.ts"
import type { EndpointsDisagree, TooFewAnswers } from "../../src/domain/quorum/QuorumFailure.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"
import { ofChain } from "./Routing.ts"
import type { Routing } from "./Routing.ts"

/** The current state of a chain's quorum. Hosts are names for an operator, never URLs. */
export interface QuorumHealth {
  /** How many endpoints must agree. */
  readonly needed: number
  readonly hosts: ReadonlyArray<string>
  /** Hosts that answered for the right chain just now. */
  readonly answering: ReadonlyArray<string>
  /** True when fewer endpoints than a majority can decide: a single endpoint, or a minority that was configured. */
  readonly weak: boolean
  /** Services besides the endpoints that attestations on this chain need, where they are configured. */
  readonly companions?: ReadonlyArray<Companion>
}

/** A service besides the nodes that attestations of a chain need. */
export interface Companion {
  /** `explorer` is needed only for withdrawals, `mappings` for every deposit and payment. */
  readonly name: "explorer" | "mappings"
  /** It answers now and accepts what it is given. */
  readonly answering: boolean
}

/**
 * What a chain shows about transactions, by the quorum of its endpoints. Errors: no quorum, or a chain that cannot be
 * read.
 */
export class ChainObserver extends Context.Service<ChainObserver, {
  /**
   * One observation for each id, in order. The ids must be canonical and distinct. Hints name other places where an
   * endpoint may look; they never say what is found there.
   */
  readonly observe: (
    chain: Chain,
    ids: ReadonlyArray<TransactionId>,
    hints?: Hints
  ) => Effect.Effect<ReadonlyArray<Observation>, ChainUnavailable | TooFewAnswers | EndpointsDisagree>
  readonly health: (chain: Chain) => Effect.Effect<QuorumHealth>
}>()("causeway/ports/ChainObserver") {}

/** The family of each call of this port. */
export const routeChainObserver: Routing<ChainObserver["Service"]> = (to) => ({
  observe: to((it) => it.observe, ofChain),
  health: to((it) => it.health, ofChain)
})
