/**
 * Everything that the store has recorded for a chain, for reconciliation and totals. Reads only; the result may be
 * long.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { KeptPayment } from "../../../src/domain/reconciliation/KeptPayment.ts"
import type { Cursor } from "../../chain/DepositWatcher.ts"
import type { Exposure } from "../orders/Exposures.ts"
import type { InventoryReservation } from "../orders/InventoryReservations.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"
import type { RecordedDeposit } from "../orders/TransferHistory.ts"

/**
 * The sequences of an account that the store has allocated: from `first` (unknown in old stores) up to but not
 * including `next`.
 */
export interface KeptSequences {
  readonly chainId: ChainId
  readonly account: Address
  readonly first: bigint | undefined
  readonly next: bigint
}

/** The blocks of a chain that were scanned for deposits: after `anchored` (unknown in old stores), up to the cursor. */
export interface Scanned {
  readonly anchored: bigint | undefined
  readonly cursor: Cursor
}

/** All that is recorded for a chain, for comparison with what the chain shows. */
export class Records extends Context.Service<Records, {
  /** Ordered by sequence, including payments that were set aside. */
  readonly payments: (chainId: ChainId) => Effect.Effect<ReadonlyArray<KeptPayment>, StoreUnavailable>
  /** Oldest first, including deposits that are gone from the chain. */
  readonly deposits: (chainId: ChainId) => Effect.Effect<ReadonlyArray<RecordedDeposit>, StoreUnavailable>
  readonly sequences: (chainId: ChainId) => Effect.Effect<ReadonlyArray<KeptSequences>, StoreUnavailable>
  readonly scanned: (chainId: ChainId) => Effect.Effect<Scanned | undefined, StoreUnavailable>
  readonly promised: Effect.Effect<ReadonlyArray<InventoryReservation>, StoreUnavailable>
  readonly exposed: Effect.Effect<ReadonlyArray<Exposure>, StoreUnavailable>
}>()("causeway/ports/Records") {}
