/**
 * Stores permits to be submitted, numbered by order. A new submission is queued only when no earlier one of the order
 * is queued or done, so a permit that is posted twice is submitted once. An owner has at most one queued on a chain,
 * because of two permits for one balance the second would revert.
 *
 * What reverted submissions cost in any 24 hours is capped for each chain over all workers of a store. A queued
 * submission counts with its possible cost until the actual cost is known. A submission that a reorg past finality
 * undoes is queued again, in its next round, and its transaction is made again from the stored bytes.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { Hex, Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/**
 * `queued` until its transaction is in a block (`done`), or the chain does not execute it (`void`); `queued` again when
 * a reorg undoes it.
 */
export type PermitState = "queued" | "done" | "void"

/** A permit to be submitted. */
export interface NewPermitSubmission {
  /** Identifies its transaction where other payments have an order id. Computed from (order, number). */
  readonly id: Hex32
  readonly orderId: OrderId
  /** Counted from zero. */
  readonly number: number
  /** The chain on which the permit is submitted. */
  readonly chainId: ChainId
  readonly signature: Hex
  /** The account whose money the permit deposits. */
  readonly owner: Address
  /** The possible cost of its gas, micro-dollars, rounded up. */
  readonly reservedMicros: bigint
  /** Milliseconds. */
  readonly queuedAt: number
}

/** A permit submission as it is stored. */
export interface PermitSubmission extends Omit<NewPermitSubmission, "owner" | "reservedMicros"> {
  readonly state: PermitState
  /** How often its transaction was lost. Each round is tracked separately. */
  readonly round: number
}

/** Milliseconds for which the cost of a reverted submission counts. */
export const REVERTED_PERMITS_WINDOW_MS = 86_400_000

/**
 * `again`: the number was used before, or another submission of the order is queued or done. `busy`: the owner has one
 * queued on the chain. `capped`: the possible cost does not fit under the cap beside the others.
 */
export type Queued = "queued" | "again" | "busy" | "capped"

/** Permits to be submitted, once for each order, under a daily cap of gas by chain. */
export class PermitSubmissions extends Context.Service<PermitSubmissions, {
  /** The newest submission of an order; undefined when it has none. */
  readonly newest: (orderId: OrderId) => Effect.Effect<PermitSubmission | undefined, StoreUnavailable>
  /**
   * Atomic under concurrent calls. Stores the submission only when the answer is `queued`. `cap`: the chain's cap in
   * micro-dollars.
   */
  readonly queue: (submission: NewPermitSubmission, cap: bigint) => Effect.Effect<Queued, StoreUnavailable>
  /** How many submissions of an order have reverted on the chain, and so cost gas for nothing. */
  readonly reverted: (orderId: OrderId) => Effect.Effect<number, StoreUnavailable>
  /**
   * Records that a queued submission has reverted, and its actual cost in micro-dollars, which replaces the possible
   * cost.
   */
  readonly spend: (id: Hex32, usdMicros: bigint) => Effect.Effect<void, StoreUnavailable>
  readonly find: (id: Hex32) => Effect.Effect<PermitSubmission | undefined, StoreUnavailable>
  /** Queued submissions, oldest first. */
  readonly open: Effect.Effect<ReadonlyArray<PermitSubmission>, StoreUnavailable>
  /** Submissions that are done and not known to be final, oldest first. */
  readonly unfinal: Effect.Effect<ReadonlyArray<PermitSubmission>, StoreUnavailable>
  /**
   * Ends a queued submission. Does nothing when it has ended or is in another round. SECURITY: as `void` only while none
   * of its payments may still be executed, else it is queued in its next round; nothing is signed for one that is `void`
   * (ADDRESS-18).
   */
  readonly close: (
    id: Hex32,
    round: number,
    state: Exclude<PermitState, "queued">,
    /** Milliseconds. */
    at: number
  ) => Effect.Effect<void, StoreUnavailable>
  /** Records that a submission that is done is final. Does nothing when it is in another round. */
  readonly recordFinal: (
    id: Hex32,
    round: number,
    /** Milliseconds. */
    at: number
  ) => Effect.Effect<void, StoreUnavailable>
  /**
   * Records that a submission that is done reverted after all and deposited nothing, under the condition of `close`.
   * Does nothing when it is in another round.
   */
  readonly fail: (
    id: Hex32,
    round: number,
    /** Milliseconds. */
    at: number
  ) => Effect.Effect<void, StoreUnavailable>
  /**
   * The gas cost of submitting the order's permit by this transaction, smallest units of the native currency; "unknown"
   * while the transaction was not seen in a block; undefined when it is not ours.
   */
  readonly gasPaid: (
    orderId: OrderId,
    transactionId: TransactionId
  ) => Effect.Effect<bigint | "unknown" | undefined, StoreUnavailable>
  /** Queues a submission that is done again, in its next round; false in any other state. */
  readonly reopen: (id: Hex32) => Effect.Effect<boolean, StoreUnavailable>
}>()("causeway/ports/PermitSubmissions") {}
