/**
 * Where permits are kept that are to be submitted: numbered by order, of which a new one is queued only when none before it is
 * queued or done. That is why what was posted twice is submitted once. One that a reorganisation past finality has undone is
 * queued again, in its next round: its transaction is made anew by the bytes that it has.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ChainId } from "../src/domain/chain/ChainId.ts"
import type { Hex, Hex32 } from "../src/domain/chain/Hex.ts"
import type { TransactionId } from "../src/domain/chain/TransactionId.ts"
import type { OrderId } from "../src/domain/order/Order.ts"
import type { StoreUnavailable } from "./StoreUnavailable.ts"

/** `queued` until its transaction is in a block (`done`), or the chain does not carry it out (`void`); `queued` again when it is undone. */
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
  /** Milliseconds. */
  readonly queuedAt: number
}

/** A permit as it is kept. */
export interface PermitSubmission extends NewPermitSubmission {
  readonly state: PermitState
  /** How often its transaction was lost again: each time it is looked after anew. */
  readonly round: number
}

export class PermitSubmissions extends Context.Service<PermitSubmissions, {
  /** The newest of an order; undefined when it has none. */
  readonly newest: (orderId: OrderId) => Effect.Effect<PermitSubmission | undefined, StoreUnavailable>
  /** False, and nothing is kept, when the number was used before, or another of the order is queued or done. */
  readonly queue: (submission: NewPermitSubmission) => Effect.Effect<boolean, StoreUnavailable>
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
  /** Says of one that is done that it deposited nothing after all; does nothing to one that is in another round by now. */
  readonly fail: (id: Hex32, round: number) => Effect.Effect<void, StoreUnavailable>
  /**
   * What submitting the order's permit by this transaction has cost, smallest units of the native currency: "unknown" while it is
   * not seen in a block; undefined when the transaction is not ours.
   */
  readonly gasPaid: (orderId: OrderId, transactionId: TransactionId) => Effect.Effect<bigint | "unknown" | undefined, StoreUnavailable>
  /** Queues one that is done again, in its next round; false for any other. */
  readonly reopen: (id: Hex32) => Effect.Effect<boolean, StoreUnavailable>
}>()("causeway/ports/PermitSubmissions") {}
