/**
 * Stores which deposits still have to become the solver's on the hub, and the submissions made for them. There is one
 * row for each deposit that was filled or refunded, written in the transaction that closes it (`Deposits.close`).
 *
 * An execution that is submitted twice is executed once, because the gate knows its key. These rows make double
 * submissions rare.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { SignedCall } from "../../../src/domain/hub/settling/Packing.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/**
 * - `open` until a submission contains it (`submitted`), and `open` again when that submission did not execute it.
 * - `settled` once the hub shows it in a final block, no matter who submitted it.
 * - `refused` permanently, unless an operator retries it.
 * - `excluded`: the payment is neither a fill nor a refund of the order, so nothing can settle it.
 */
export type SettlementState = "open" | "submitted" | "settled" | "refused" | "excluded"

/** A settlement that one worker has claimed until a time. */
export interface ClaimedSettlement {
  readonly deposit: Hex32
  readonly orderId: OrderId
  /** How often it was examined without a final result. */
  readonly attempts: number
  /**
   * The reason of the last examinations, and how many in a row had it; undefined when there was none, or when something
   * else happened in between.
   */
  readonly alike: { readonly reason: string; readonly looks: number } | undefined
  /** How often a transaction failed to execute it, or the hub refused it. */
  readonly failures: number
  /** Milliseconds: the end of the lease. Every conclusion must name it. */
  readonly leasedUntil: number
}

/** The result of an examination. `reason` is one word for operators, never text from another machine. */
export type Conclusion =
  /** `checkAt`, milliseconds: when it is rechecked, as in `SettledAt`. */
  | { readonly _tag: "Settled"; readonly on: HubGateAt; readonly checkAt: number }
  | { readonly _tag: "Excluded" }
  | { readonly _tag: "Refused"; readonly reason: string }
  /** Milliseconds. */
  | { readonly _tag: "Later"; readonly reason: string; readonly dueAt: number }
  /** A dependency could not be reached, which says nothing about the deposit. It does not count as an attempt. */
  | { readonly _tag: "Unreached"; readonly reason: string; readonly dueAt: number }

/** The contract that executes, and its chain. */
export interface HubGateAt {
  readonly chainId: ChainId
  readonly gate: Address
}

/** A settled deposit to be rechecked, because a reorg past finality may have undone it. */
export interface SettledAt extends HubGateAt {
  readonly deposit: Hex32
  readonly orderId: OrderId
  /** Milliseconds. */
  readonly settledAt: number
  readonly checkAt: number
}

/** One transaction to the hub, with its calls as they were signed. */
export interface Submission {
  /** Identifies its payment where other payments have an order id. */
  readonly id: Hex32
  readonly chainId: ChainId
  /** Undefined for a submission that an earlier version stored and never signed. */
  readonly gate: Address | undefined
  readonly calls: ReadonlyArray<SignedCall>
  /** Milliseconds. */
  readonly createdAt: number
}

/** The current state of a settlement, for the history of its request. */
export interface RecordedSettlement {
  readonly deposit: Hex32
  readonly state: SettlementState
  /** Why it is refused or not submitted yet; null when nothing prevents it. */
  readonly reason: string | null
  /** The transaction of this service's last submission that contains it, whether or not it is in a block. */
  readonly transactionId: TransactionId | null
}

/** For each state: how many settlements are not complete, and when the oldest was opened. */
export interface OpenSettlements {
  readonly state: "open" | "submitted" | "refused"
  readonly count: number
  /** Milliseconds: when it was opened. */
  readonly oldest: number
}

/**
 * How many are overdue, and when the oldest and newest of them were opened, in milliseconds: by the closing of their
 * deposits, or later when they were reopened.
 */
export interface Overdue {
  readonly count: number
  readonly oldest: number
  readonly newest: number
}

/** The most submissions on one hub chain that are in no block yet. Each takes a slot of its own. */
export const MOST_UNDER_WAY = 8

/**
 * At this many submissions that are not final, nothing new is submitted to the chain. A reorg that undoes all of them
 * leaves fewer than `MOST_UNFINAL + MOST_UNDER_WAY` transactions to broadcast again, because workers that check at the
 * same time share the free slots.
 */
export const MOST_UNFINAL = 64

/** Deposits that are to become the solver's on the hub, and their submissions. */
export class Settlements extends Context.Service<Settlements, {
  /**
   * Claims open settlements that are due, the longest due first, for one worker until `leasedUntil`. Concurrent workers
   * never claim the same one.
   */
  readonly claim: (
    now: number,
    leasedUntil: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<ClaimedSettlement>, StoreUnavailable>
  /**
   * Milliseconds: when the next settlement is due that `claim` would give then, up to `until`; in the past when one is
   * due now. Undefined when there is none.
   */
  readonly nextDue: (until: number) => Effect.Effect<number | undefined, StoreUnavailable>
  /** Ends an examination. Does nothing when another worker has the lease. */
  readonly conclude: (
    claimed: ClaimedSettlement,
    conclusion: Conclusion,
    at: number
  ) => Effect.Effect<void, StoreUnavailable>
  /**
   * Stores a submission and marks its members `submitted`, in one transaction. False, and nothing is stored, when all
   * slots of its chain are taken, or when this worker no longer has the lease of a member.
   */
  readonly submit: (
    submission: Submission & HubGateAt,
    members: ReadonlyArray<ClaimedSettlement>
  ) => Effect.Effect<boolean, StoreUnavailable>
  /** Whether the chain has a free slot. */
  readonly hasRoom: (chainId: ChainId) => Effect.Effect<boolean, StoreUnavailable>
  /** Frees the slot of a submission whose payment is in a block. The submission is still tracked until it is final. */
  readonly placed: (id: Submission["id"], at: number) => Effect.Effect<void, StoreUnavailable>
  /** Submissions that have not ended, and any other whose payment is in flight, oldest first. */
  readonly underWay: Effect.Effect<ReadonlyArray<Submission>, StoreUnavailable>
  readonly members: (
    id: Submission["id"]
  ) => Effect.Effect<
    ReadonlyArray<Pick<ClaimedSettlement, "deposit" | "orderId" | "attempts" | "failures">>,
    StoreUnavailable
  >
  /**
   * Ends a submission. Members in `settled` become settled on its hub and are rechecked at `checkAt`. All others are
   * open again from `dueAt`, or `refused` when they have failed `mostFailures` times. Returns those that are refused
   * now. Does nothing when the submission has ended.
   */
  readonly end: (
    id: Submission["id"],
    end: {
      readonly settled: ReadonlySet<Hex32>
      readonly failed: ReadonlySet<Hex32>
      readonly mostFailures: number
      readonly dueAt: number
      readonly on: HubGateAt
      readonly checkAt: number
    },
    at: number
  ) => Effect.Effect<ReadonlyArray<Hex32>, StoreUnavailable>
  /** Settled deposits that are due for a recheck, the longest due first. Checking one twice is harmless. */
  readonly toCheck: (now: number, limit: number) => Effect.Effect<ReadonlyArray<SettledAt>, StoreUnavailable>
  /** Records that the hub still has it. It is rechecked at `checkAt`, or never again when that is undefined. */
  readonly checked: (settled: SettledAt, checkAt: number | undefined) => Effect.Effect<void, StoreUnavailable>
  /**
   * Records that the hub no longer has it. Its submission is tracked again, with all that it had settled: a payment
   * that a reorg removed is made again from its stored bytes, and one that is still there is found. A deposit that no
   * submission of ours settled is open again.
   */
  readonly undone: (settled: Pick<SettledAt, "deposit">, at: number) => Effect.Effect<void, StoreUnavailable>
  /** Does the same for a submission whose payment is gone. Does nothing when the submission has not ended. */
  readonly reopen: (id: Submission["id"], at: number) => Effect.Effect<boolean, StoreUnavailable>
  /** Opens settlements for deposits that a worker of an earlier version closed, at most `limit`. Returns how many. */
  readonly adopt: (limit: number, at: number) => Effect.Effect<number, StoreUnavailable>
  /**
   * Open and submitted settlements that were opened after one time and up to another; undefined when there are none.
   */
  readonly overdue: (after: number, upTo: number) => Effect.Effect<Overdue | undefined, StoreUnavailable>
  /** Opens the refused settlements of an order again. Returns how many. */
  readonly retry: (orderId: OrderId, at: number) => Effect.Effect<number, StoreUnavailable>
  readonly ofOrder: (orderId: OrderId) => Effect.Effect<ReadonlyArray<RecordedSettlement>, StoreUnavailable>
  /** By state. States without settlements are left out. */
  readonly open: Effect.Effect<ReadonlyArray<OpenSettlements>, StoreUnavailable>
}>()("causeway/ports/Settlements") {}
