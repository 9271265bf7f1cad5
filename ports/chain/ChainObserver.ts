/**
 * Reads what a chain shows about transactions, under the quorum of its endpoints (QUORUM-1): evidence, never a verdict.
 *
 * An observation is what k of n endpoints said at one pinned block. One transaction is read once however many ask for
 * it at the same time; final evidence may be cached. Not for finding transactions: that is `DepositWatcher`.
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

/** How the quorum of a chain stands now. Hosts are names for an operator, never URLs. */
export interface QuorumHealth {
  /** Endpoints that must agree. */
  readonly needed: number
  readonly hosts: ReadonlyArray<string>
  /** Hosts that answered for the right chain just now. */
  readonly answering: ReadonlyArray<string>
  /** True when fewer endpoints than a majority could decide: a single endpoint, or a configured minority. */
  readonly weak: boolean
  /** Services besides the endpoints that attestations on the chain need, where they are configured. */
  readonly companions?: ReadonlyArray<Companion>
}

export interface Companion {
  /** `explorer` is needed by withdrawals alone, `mappings` by every deposit and payment. */
  readonly name: "explorer" | "mappings"
  /** It answers now, and takes what it is shown. */
  readonly answering: boolean
}

export class ChainObserver extends Context.Service<ChainObserver, {
  /**
   * One observation for each id, in order; ids are canonical and distinct. Hints say where else an endpoint may look,
   * never what is there.
   */
  readonly observe: (
    chain: Chain,
    ids: ReadonlyArray<TransactionId>,
    hints?: Hints
  ) => Effect.Effect<ReadonlyArray<Observation>, ChainUnavailable | TooFewAnswers | EndpointsDisagree>
  readonly health: (chain: Chain) => Effect.Effect<QuorumHealth>
}>()("causeway/ports/ChainObserver") {}

export const routeChainObserver: Routing<ChainObserver["Service"]> = (to) => ({
  observe: to((it) => it.observe, ofChain),
  health: to((it) => it.health, ofChain)
})
