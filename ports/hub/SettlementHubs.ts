/**
 * The hubs that hold the balances to be withdrawn (CONFIG-2): where each is read, and which allocator issues its
 * withdrawals.
 */
import * as Context from "effect/Context"
import type { Address } from "../../src/domain/chain/Address.ts"
import type { FinalityRule } from "../../src/domain/chain/Chain.ts"
import type { ChainId, ChainSlug } from "../../src/domain/chain/ChainId.ts"
import type { ExecutionDomain } from "../../src/domain/hub/Execution.ts"

/** A hub as withdrawals need it. */
export interface SettlementHub {
  /** The slug that `settlementChainId` names. */
  readonly slug: ChainSlug
  /** Its EIP-155 number. */
  readonly id: ChainId
  readonly finality: FinalityRule
  /** The ERC-6909 contract that holds the balances. */
  readonly contract: Address
  /** The domain of its oracle contract: one of those in `Hubs`. */
  readonly domain: ExecutionDomain
  /** The account whose signature issues a withdrawal. Without an allocator no withdrawal has an execution. */
  readonly allocator: Address | undefined
}

/** The hubs from which withdrawals are attested, each with its allocator. */
export class SettlementHubs extends Context.Service<SettlementHubs, {
  /** In the order of the configuration; at least one. */
  readonly all: ReadonlyArray<SettlementHub>
}>()("causeway/ports/SettlementHubs") {}
