/**
 * Where it is kept which deposits are still to become the solver's on the hub: one row for each deposit that was filled or
 * refunded, written in the transaction that closes it (`Deposits.close`), and the submissions that were made of them.
 *
 * What is submitted twice is carried out once, because the gate knows it; these rows are why it is seldom submitted twice.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Hex32 } from "../src/domain/chain/Hex.ts"
import type { ChainId } from "../src/domain/chain/ChainId.ts"
import type { OrderId } from "../src/domain/order/Order.ts"
import type { SignedCall } from "../src/domain/settling/Packing.ts"
import type { TransactionId } from "../src/domain/chain/TransactionId.ts"
import type { StoreUnavailable } from "./StoreUnavailable.ts"

/**
 * `open` until a submission has it (`submitted`), `open` again when that did not carry it out; `settled` once the hub has it
 * in a final block, whoever submitted it; `refused` for good, unless an operator has it tried again; `excluded`: what was
 * paid is no fill and no refund of the order, so that nothing can settle it.
 */
export type SettlementState = "open" | "submitted" | "settled" | "refused" | "excluded"

/** A deposit that is looked after by one worker until a time. */
export interface ClaimedSettlement {
  readonly deposit: Hex32
  readonly orderId: OrderId
  /** How often it was looked at without an end. */
  readonly attempts: number
  /** How often a transaction did not carry it out, or the hub refused to. */
  readonly failures: number
  /** Milliseconds: the lease, which every conclusion names. */
  readonly leasedUntil: number
}

/** What became of a look. `reason` is for operators: a word, no text of a foreign machine. */
export type Conclusion =
  | { readonly _tag: "Settled" }
  | { readonly _tag: "Excluded" }
  | { readonly _tag: "Refused"; readonly reason: string }
  /** Milliseconds. */
  | { readonly _tag: "Later"; readonly reason: string; readonly dueAt: number }

/** One transaction to the hub: its calls are as they were signed for. */
export interface Submission {
  /** Names its payment where others name an order. */
  readonly id: Hex32
  readonly chainId: ChainId
  readonly calls: ReadonlyArray<SignedCall>
  /** Milliseconds. */
  readonly createdAt: number
}

/** What a settlement is now, for the history of its request. */
export interface RecordedSettlement {
  readonly deposit: Hex32
  readonly state: SettlementState
  /** Why it is refused, or not submitted yet; null when nothing keeps it. */
  readonly reason: string | null
  /** The transaction of the last submission of this service that had it, in a block or not. */
  readonly transactionId: TransactionId | null
}

/** How many there are that have not come to an end, and since when the oldest of each. */
export interface OpenSettlements {
  readonly state: "open" | "submitted" | "refused"
  readonly count: number
  /** Milliseconds: when the deposit was closed. */
  readonly oldest: number
}

/** So many transactions are under way at a time: each has a slot, which only one can have. */
export const MOST_UNDER_WAY = 8

export class Settlements extends Context.Service<Settlements, {
  /** Open ones that are due, the longest due first, for one worker until `leasedUntil`; of two that claim at once each gets others. */
  readonly claim: (now: number, leasedUntil: number, limit: number) => Effect.Effect<ReadonlyArray<ClaimedSettlement>, StoreUnavailable>
  /** Ends a look; does nothing once the lease is somebody else's. */
  readonly conclude: (claimed: ClaimedSettlement, conclusion: Conclusion, at: number) => Effect.Effect<void, StoreUnavailable>
  /**
   * Keeps a submission and makes its members `submitted`, in one transaction; false, and nothing is kept, when all slots are
   * taken, or one of the members is not this worker's any more.
   */
  readonly submit: (submission: Submission, members: ReadonlyArray<ClaimedSettlement>) => Effect.Effect<boolean, StoreUnavailable>
  /** Whether a slot is free. */
  readonly hasRoom: Effect.Effect<boolean, StoreUnavailable>
  /** Submissions that have not ended, and any other that has a payment under way, oldest first. */
  readonly underWay: Effect.Effect<ReadonlyArray<Submission>, StoreUnavailable>
  readonly members: (id: Submission["id"]) => Effect.Effect<ReadonlyArray<Pick<ClaimedSettlement, "deposit" | "orderId" | "attempts" | "failures">>, StoreUnavailable>
  /**
   * Ends a submission: members that are `settled` are so, all others are open again from `dueAt` on, or `refused` when they
   * failed `mostFailures` times. Answers with those that are refused now; does nothing to one that has ended.
   */
  readonly end: (
    id: Submission["id"],
    end: { readonly settled: ReadonlySet<Hex32>; readonly failed: ReadonlySet<Hex32>; readonly mostFailures: number; readonly dueAt: number },
    at: number
  ) => Effect.Effect<ReadonlyArray<Hex32>, StoreUnavailable>
  /** Makes the refused settlements of an order open again; how many those were. */
  readonly retry: (orderId: OrderId, at: number) => Effect.Effect<number, StoreUnavailable>
  readonly ofOrder: (orderId: OrderId) => Effect.Effect<ReadonlyArray<RecordedSettlement>, StoreUnavailable>
  /** By state; one without any is not in it. */
  readonly open: Effect.Effect<ReadonlyArray<OpenSettlements>, StoreUnavailable>
}>()("causeway/ports/Settlements") {}
