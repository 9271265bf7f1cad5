/**
 * Where permits are kept that are to be submitted: numbered by order, of which a new one is queued only when none
 * before it is queued or done. That is why what was posted twice is submitted once. An owner has one of them queued on
 * a chain: of two permits for one balance the second would revert. And what those that revert cost in any 24 hours is
 * capped for each chain over all workers of a store: what is queued counts by what it may cost, until it is known. One
 * that a reorganisation past finality has undone is queued again, in its next round: its transaction is made anew by
 * the bytes that it has.
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
 * `queued` until its transaction is in a block (`done`), or the chain does not carry it out (`void`); `queued` again
 * when it is undone.
 */
export type PermitState = "queued" | "done" | "void"

/** A permit that is to be submitted. */
export interface NewPermitSubmission {
  /** Names its transaction where payments name an order: of (order, number). */
  readonly id: Hex32
  readonly orderId: OrderId
  /** Counted from zero. */
  readonly number: number
  /** The chain on which it is submitted. */
  readonly chainId: ChainId
  readonly signature: Hex
  /** Whose money it deposits. */
  readonly owner: Address
  /** What its gas may cost, micro-dollars, rounded up. */
  readonly reservedMicros: bigint
  /** Milliseconds. */
  readonly queuedAt: number
}

/** A permit as it is kept. */
export interface PermitSubmission extends Omit<NewPermitSubmission, "owner" | "reservedMicros"> {
  readonly state: PermitState
  /** How often its transaction was lost again: each time it is looked after anew. */
  readonly round: number
}

/** Milliseconds for which what a reverted one has cost counts. */
export const REVERTED_PERMITS_WINDOW_MS = 86_400_000

/**
 * `again`: the number was used before, or another of the order is queued or done. `busy`: the owner has one queued on
 * the chain. `capped`: what this one may cost does not fit beside the others.
 */
export type Queued = "queued" | "again" | "busy" | "capped"

export class PermitSubmissions extends Context.Service<PermitSubmissions, {
  /** The newest of an order; undefined when it has none. */
  readonly newest: (orderId: OrderId) => Effect.Effect<PermitSubmission | undefined, StoreUnavailable>
  /**
   * Atomic, whoever asks at the same time; nothing is kept but of one that is `queued`. `cap`: of its chain,
   * micro-dollars.
   */
  readonly queue: (submission: NewPermitSubmission, cap: bigint) => Effect.Effect<Queued, StoreUnavailable>
  /** How many of an order have reverted on the chain, and so cost gas for nothing. */
  readonly reverted: (orderId: OrderId) => Effect.Effect<number, StoreUnavailable>
  /**
   * Says of a queued one that it has reverted, and what that has cost, micro-dollars: it counts in place of what it
   * might have.
   */
  readonly spend: (id: Hex32, usdMicros: bigint) => Effect.Effect<void, StoreUnavailable>
  readonly find: (id: Hex32) => Effect.Effect<PermitSubmission | undefined, StoreUnavailable>
  /** Queued ones, oldest first. */
  readonly open: Effect.Effect<ReadonlyArray<PermitSubmission>, StoreUnavailable>
  /** Ends a queued one; does nothing to one that has ended, or is in another round by now. */
  readonly close: (
    id: Hex32,
    round: number,
    state: Exclude<PermitState, "queued">,
    /** Milliseconds. */
    at: number
  ) => Effect.Effect<void, StoreUnavailable>
  /**
   * Says of one that is done that it deposited nothing after all, and reverted; does nothing to one that is in another
   * round by now.
   */
  readonly fail: (id: Hex32, round: number) => Effect.Effect<void, StoreUnavailable>
  /**
   * What submitting the order's permit by this transaction has cost, smallest units of the native currency: "unknown"
   * while it is not seen in a block; undefined when the transaction is not ours.
   */
  readonly gasPaid: (
    orderId: OrderId,
    transactionId: TransactionId
  ) => Effect.Effect<bigint | "unknown" | undefined, StoreUnavailable>
  /** Queues one that is done again, in its next round; false for any other. */
  readonly reopen: (id: Hex32) => Effect.Effect<boolean, StoreUnavailable>
}>()("causeway/ports/PermitSubmissions") {}
