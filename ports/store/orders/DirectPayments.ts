/**
 * Stores direct payments until the chain has executed them: which are awaited, which were seen, and up to which block
 * the chain was scanned.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import type { Cursor } from "../../chain/DepositWatcher.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** A direct payment that was seen in a block. */
export interface SeenDirectPayment {
  readonly orderId: OrderId
  readonly transactionId: TransactionId
  readonly block: BlockRef
}

/** Payments that users make themselves: awaited, seen, and how far their chains were scanned. */
export class DirectPayments extends Context.Service<DirectPayments, {
  /**
   * Sets where scanning starts, unless it has started already. A quote does so with its transfer (`Transfers.add`).
   */
  readonly anchor: (chainId: ChainId, at: Cursor) => Effect.Effect<void, StoreUnavailable>
  /** Undefined when the chain is not being scanned. */
  readonly cursor: (chainId: ChainId) => Effect.Effect<Cursor | undefined, StoreUnavailable>
  /** Stores the direct payments that were seen and moves the cursor, in one transaction. */
  readonly record: (
    chainId: ChainId,
    cursor: Cursor,
    seen: ReadonlyArray<SeenDirectPayment>
  ) => Effect.Effect<void, StoreUnavailable>
  /** Stores one direct payment that was seen without a scan. */
  readonly note: (seen: SeenDirectPayment) => Effect.Effect<void, StoreUnavailable>
  /**
   * Ends scanning of a chain, unless a direct payment quoted after `since` (milliseconds) is awaited or one that was
   * seen is not final yet.
   */
  readonly rest: (chainId: ChainId, since: number) => Effect.Effect<void, StoreUnavailable>
  readonly unsettled: (chainId: ChainId) => Effect.Effect<ReadonlyArray<SeenDirectPayment>, StoreUnavailable>
  readonly settle: (orderId: OrderId) => Effect.Effect<void, StoreUnavailable>
  /** Returns a direct payment to awaited, when a reorg has removed its transaction. */
  readonly lose: (orderId: OrderId) => Effect.Effect<void, StoreUnavailable>
  readonly find: (orderId: OrderId) => Effect.Effect<SeenDirectPayment | undefined, StoreUnavailable>
}>()("causeway/ports/DirectPayments") {}
