/**
 * What a store that was restored from a backup does not know yet: what was paid since. While a chain's restoration is
 * open nothing is signed there (`Payments.signOnce` refuses it), until what the account has sent is accounted for.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** A chain on which the past has to be settled. */
export interface Restoration {
  readonly chainId: ChainId
  /** No payment that the store does not know is in a block before this one. */
  readonly height: bigint
  /** Milliseconds. */
  readonly restoredAt: number
  /** Sequences below this one have to be used up before anything is signed; undefined until it is known. */
  readonly fence: bigint | undefined
}

export class Restorations extends Context.Service<Restorations, {
  readonly open: Effect.Effect<ReadonlyArray<Restoration>, StoreUnavailable>
  /**
   * How many payments that nobody here remembers may have no block yet: one for each deposit that is open or was seen
   * since the restoration, and each open payout.
   */
  readonly unanswered: (restoration: Restoration) => Effect.Effect<number, StoreUnavailable>
  /** Sets the fence of a restoration that has none; answers with the one that it has. */
  readonly fenceAt: (chainId: ChainId, fence: bigint) => Effect.Effect<bigint, StoreUnavailable>
  /** Everything is accounted for: payments may go on, from the fence. `at` in milliseconds. */
  readonly settle: (chainId: ChainId, at: number) => Effect.Effect<void, StoreUnavailable>
}>()("causeway/ports/Restorations") {}
