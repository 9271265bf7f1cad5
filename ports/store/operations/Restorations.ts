/**
 * Chains whose recent payments a store restored from a backup does not know yet. While a chain's restoration is open,
 * nothing is signed there (`Payments.signOnce` refuses it), until everything that the solver's accounts have sent is
 * accounted for.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** A chain whose payments since the backup have to be accounted for. */
export interface Restoration {
  readonly chainId: ChainId
  /** Payments that the store does not know can only be in this block or later. */
  readonly height: bigint
  /** Milliseconds. */
  readonly restoredAt: number
}

/** All sequences of an account below the fence are in final blocks. */
export interface UsedUp {
  readonly account: Address
  readonly fence: bigint
}

/** Chains on which nothing is signed, because a restored store may lack payments there. */
export class Restorations extends Context.Service<Restorations, {
  readonly open: Effect.Effect<ReadonlyArray<Restoration>, StoreUnavailable>
  /**
   * How many payments that this store does not know may still be in no block: one for each deposit that is open or was
   * seen since the restoration, and one for each open payout.
   */
  readonly unanswered: (restoration: Restoration) => Effect.Effect<number, StoreUnavailable>
  /**
   * Sets the fence of an account that has none on a chain: all of its sequences below must be used up before anything is
   * signed there. Returns the fence that is stored.
   */
  readonly fenceAt: (chainId: ChainId, account: Address, fence: bigint) => Effect.Effect<bigint, StoreUnavailable>
  /**
   * Ends the restoration: everything is accounted for, and payments continue from the fences. `usedUp`: what is used up
   * of each account, where the chain counts. Whatever an endpoint says of an account, no sequence below is used again.
   * `at` in milliseconds.
   */
  readonly settle: (
    chainId: ChainId,
    usedUp: ReadonlyArray<UsedUp>,
    at: number
  ) => Effect.Effect<void, StoreUnavailable>
}>()("causeway/ports/Restorations") {}
