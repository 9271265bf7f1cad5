/**
 * Reads the state of withdrawals from a chain's depository, at a final block that its quorum of endpoints has pinned
 * (EVIDENCE-4, QUORUM-1). It returns evidence, never a verdict.
 *
 * SECURITY: a read that fails is never "unused". The endpoints must have the state of their final block.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { Hex, Hex32 } from "../../src/domain/encoding/Hex.ts"
import type { WithdrawalEvidence } from "../../src/domain/evidence/withdrawal/WithdrawalEvidence.ts"
import type { EndpointsDisagree, TooFewAnswers } from "../../src/domain/quorum/QuorumFailure.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"
import { ofChain } from "./Routing.ts"
import type { Routing } from "./Routing.ts"

/** A withdrawal in its only encoding, with its id. */
export interface SoughtWithdrawal {
  readonly encoded: Hex
  readonly id: Hex32
}

/** The state of withdrawals at a final block, by the quorum. A failed read is an error, never "unused". */
export class WithdrawalObserver extends Context.Service<WithdrawalObserver, {
  /** Does not name a transaction: `ChainObserver` shows which one executed the withdrawal. */
  readonly observe: (
    chain: Chain,
    withdrawal: SoughtWithdrawal
  ) => Effect.Effect<WithdrawalEvidence, ChainUnavailable | TooFewAnswers | EndpointsDisagree>
  /** The hosts that can be read at their final block now. Withdrawals need as many of them as must agree. */
  readonly readable: (chain: Chain) => Effect.Effect<ReadonlyArray<string>>
}>()("causeway/ports/WithdrawalObserver") {}

/** The family of each call of this port. */
export const routeWithdrawalObserver: Routing<WithdrawalObserver["Service"]> = (to) => ({
  observe: to((it) => it.observe, ofChain),
  readable: to((it) => it.readable, ofChain)
})
