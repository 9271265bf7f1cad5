/**
 * Where it is kept which deposits are still to become the solver's on the hub: one row for each deposit that was filled
 * or refunded, written in the transaction that closes it (`Deposits.close`), and the submissions that were made of
 * them.
 *
 * What is submitted twice is carried out once, because the gate knows it; these rows are why it is seldom submitted
 * twice.
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
 * `open` until a submission has it (`submitted`), `open` again when that did not carry it out; `settled` once the hub
 * has it in a final block, whoever submitted it; `refused` for good, unless an operator has it tried again; `excluded`:
 * what was paid is no fill and no refund of the order, so that nothing can settle it.
 */
export type SettlementState = "open" | "submitted" | "settled" | "refused" | "excluded"

/** A deposit that is looked after by one worker until a time. */
export interface ClaimedSettlement {
  readonly deposit: Hex32
  readonly orderId: OrderId
  /** How often it was looked at without an end. */
  readonly attempts: number
  /**
   * How many of the last looks came to one reason; undefined when there was none, or something else has come between.
   */
  readonly alike: { readonly reason: string; readonly looks: number } | undefined
  /** How often a transaction did not carry it out, or the hub refused to. */
  readonly failures: number
  /** Milliseconds: the lease, which every conclusion names. */
  readonly leasedUntil: number
}

/** What became of a look. `reason` is for operators: a word, no text of a foreign machine. */
export type Conclusion =
  /** `checkAt`, milliseconds: when it is looked at again, as `SettledAt` says. */
  | { readonly _tag: "Settled"; readonly on: HubGateAt; readonly checkAt: number }
  | { readonly _tag: "Excluded" }
  | { readonly _tag: "Refused"; readonly reason: string }
  /** Milliseconds. */
  | { readonly _tag: "Later"; readonly reason: string; readonly dueAt: number }
  /** What keeps it is out of reach now, which says nothing of the deposit: it does not count as a look. */
  | { readonly _tag: "Unreached"; readonly reason: string; readonly dueAt: number }

/** Which contract of which chain carries executions out. */
export interface HubGateAt {
  readonly chainId: ChainId
  readonly gate: Address
}

/** What is settled and is to be looked at again: a reorganisation past finality may have undone it. */
export interface SettledAt extends HubGateAt {
  readonly deposit: Hex32
  readonly orderId: OrderId
  /** Milliseconds. */
  readonly settledAt: number
  readonly checkAt: number
}

/** One transaction to the hub: its calls are as they were signed for. */
export interface Submission {
  /** Names its payment where others name an order. */
  readonly id: Hex32
  readonly chainId: ChainId
  /** Undefined for one that a former version kept, and of which nothing was signed. */
  readonly gate: Address | undefined
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
  /** Milliseconds: when it was opened. */
  readonly oldest: number
}

/** Milliseconds: when they were opened, by the closing of their deposits or once more after that. */
export interface Overdue {
  readonly count: number
  readonly oldest: number
  readonly newest: number
}

/** So many transactions are in no block yet on the chain of a hub: each has a slot, which only one can have. */
export const MOST_UNDER_WAY = 8

/**
 * With so many that are not final nothing is submitted to a chain. A reorganisation that takes all of them back leaves
 * fewer than `MOST_UNFINAL + MOST_UNDER_WAY` transactions to be broadcast again: workers that look at once share the
 * free slots.
 */
export const MOST_UNFINAL = 64

export class Settlements extends Context.Service<Settlements, {
  /**
   * Open ones that are due, the longest due first, for one worker until `leasedUntil`; of two that claim at once each
   * gets others.
   */
  readonly claim: (
    now: number,
    leasedUntil: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<ClaimedSettlement>, StoreUnavailable>
  /** Ends a look; does nothing once the lease is somebody else's. */
  readonly conclude: (
    claimed: ClaimedSettlement,
    conclusion: Conclusion,
    at: number
  ) => Effect.Effect<void, StoreUnavailable>
  /**
   * Keeps a submission and makes its members `submitted`, in one transaction; false, and nothing is kept, when all
   * slots of its chain are taken, or one of the members is not this worker's any more.
   */
  readonly submit: (
    submission: Submission & HubGateAt,
    members: ReadonlyArray<ClaimedSettlement>
  ) => Effect.Effect<boolean, StoreUnavailable>
  /** Whether a slot is free on a chain. */
  readonly hasRoom: (chainId: ChainId) => Effect.Effect<boolean, StoreUnavailable>
  /** Gives the slot back of one whose payment is in a block; it is followed until that is final all the same. */
  readonly placed: (id: Submission["id"], at: number) => Effect.Effect<void, StoreUnavailable>
  /** Submissions that have not ended, and any other that has a payment under way, oldest first. */
  readonly underWay: Effect.Effect<ReadonlyArray<Submission>, StoreUnavailable>
  readonly members: (
    id: Submission["id"]
  ) => Effect.Effect<
    ReadonlyArray<Pick<ClaimedSettlement, "deposit" | "orderId" | "attempts" | "failures">>,
    StoreUnavailable
  >
  /**
   * Ends a submission: members that are `settled` are so on its hub, and are looked at again at `checkAt`; all others
   * are open again from `dueAt` on, or `refused` when they failed `mostFailures` times. Answers with those that are
   * refused now; does nothing to one that has ended.
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
  /** Settled ones that are to be looked at again, the longest due first. Looked at twice is no harm. */
  readonly toCheck: (now: number, limit: number) => Effect.Effect<ReadonlyArray<SettledAt>, StoreUnavailable>
  /** The hub has it still: it is looked at once more at `checkAt`, or never again. */
  readonly checked: (settled: SettledAt, checkAt: number | undefined) => Effect.Effect<void, StoreUnavailable>
  /**
   * The hub has it no more. Its submission is followed again, with all that it had settled: a payment that a
   * reorganisation took is made again from its stored bytes, and what is there is found to be. What was settled by no
   * submission is open again.
   */
  readonly undone: (settled: Pick<SettledAt, "deposit">, at: number) => Effect.Effect<void, StoreUnavailable>
  /** The same of a submission whose payment is gone; does nothing to one that has not ended. */
  readonly reopen: (id: Submission["id"], at: number) => Effect.Effect<boolean, StoreUnavailable>
  /** Opens settlements of deposits that a worker of a former version closed, at most so many; how many. */
  readonly adopt: (limit: number, at: number) => Effect.Effect<number, StoreUnavailable>
  /** Of those that wait or are submitted, which were opened after a time and up to another; undefined without any. */
  readonly overdue: (after: number, upTo: number) => Effect.Effect<Overdue | undefined, StoreUnavailable>
  /** Makes the refused settlements of an order open again; how many those were. */
  readonly retry: (orderId: OrderId, at: number) => Effect.Effect<number, StoreUnavailable>
  readonly ofOrder: (orderId: OrderId) => Effect.Effect<ReadonlyArray<RecordedSettlement>, StoreUnavailable>
  /** By state; one without any is not in it. */
  readonly open: Effect.Effect<ReadonlyArray<OpenSettlements>, StoreUnavailable>
}>()("causeway/ports/Settlements") {}
