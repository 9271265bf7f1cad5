/** Reads balances of a hub at a final block that its quorum of endpoints has pinned (QUORUM-1), in smallest units. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address } from "../../src/domain/chain/Address.ts"
import type { HubBalance } from "../../src/domain/evidence/withdrawal/JudgeInitiation.ts"
import type { EndpointsDisagree, TooFewAnswers } from "../../src/domain/quorum/QuorumFailure.ts"
import type { QuorumHealth } from "../chain/ChainObserver.ts"
import type { ChainUnavailable } from "../chain/ChainUnavailable.ts"
import type { SettlementHub } from "./SettlementHubs.ts"

/** Balances on a hub at a final block, in smallest units of the token. */
export class HubBalances extends Context.Service<HubBalances, {
  readonly read: (
    hub: SettlementHub,
    account: Address,
    tokenId: bigint
  ) => Effect.Effect<HubBalance, ChainUnavailable | TooFewAnswers | EndpointsDisagree>
  /** Health of the quorum, counting the endpoints that can be read at their final block. */
  readonly health: (hub: SettlementHub) => Effect.Effect<QuorumHealth>
}>()("causeway/ports/HubBalances") {}
