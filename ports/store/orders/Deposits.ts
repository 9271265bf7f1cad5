/**
 * Stores sighted deposits and the scanning cursors. Recording a deposit again is idempotent. Seeing it in another
 * block, or again after it was gone, is a new sighting.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import type { Cursor } from "../../chain/DepositWatcher.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** `open` until its filling has ended, with any result; `foreign` when it names no transfer of ours. */
export type DepositState = "open" | "filled" | "refunded" | "gone" | "foreign" | "unrefundable"

/** A deposit and the number of its sighting. The work for a deposit is done once for each sighting. */
export interface Sighting {
  readonly deposit: Deposit
  readonly sighting: number
}

/** What the store knows of an open deposit without decoding it. */
export interface OpenDeposit {
  readonly onchainId: Deposit["onchainId"]
  readonly sighting: number
}

/** A deposit recorded for an order of ours. */
export interface NamedDeposit {
  readonly deposit: Deposit
  /** Among the open deposits of an order, the one with the greatest value comes first (`precedenceOf`). */
  readonly precedence: bigint
}

/**
 * Records the deposits of a scan and a cursor in one transaction, in a bounded number of statements. Returns the new
 * sightings among them, as they are recorded. One that was `foreign` under another order's id is new: an endpoint had
 * misreported it. SECURITY: a deposit that is open only moves to another block. All else that is recorded of it stays
 * (QUORUM-11), because a scan is one endpoint's word. `correct` changes it.
 */
export type RecordScan = (
  chainId: ChainId,
  cursor: Cursor,
  deposits: ReadonlyArray<NamedDeposit>,
  /** Milliseconds. */
  seenAt: number
) => Effect.Effect<ReadonlyArray<Sighting>, StoreUnavailable>

/** Deposits with their sightings, and the cursors of scans. Recording one again changes nothing. */
export class Deposits extends Context.Service<Deposits, {
  readonly cursor: (chainId: ChainId) => Effect.Effect<Cursor | undefined, StoreUnavailable>
  /** Sets the cursor of a chain that has none; one that has a cursor keeps it. */
  readonly anchor: (chainId: ChainId, cursor: Cursor) => Effect.Effect<void, StoreUnavailable>
  readonly record: RecordScan
  /** How far final blocks were looked at again (`DepositWatcher.scanFinal`); at first the block of the anchor. */
  readonly finalCursor: (chainId: ChainId) => Effect.Effect<Cursor | undefined, StoreUnavailable>
  /** For such a look. It moves only the final cursor. */
  readonly recordFinal: RecordScan
  /**
   * Records deposits that were looked up by their transaction, as a scan would. The cursor does not move. Returns the
   * new sightings among them.
   */
  readonly note: (
    deposits: ReadonlyArray<NamedDeposit>,
    /** Milliseconds. */
    seenAt: number
  ) => Effect.Effect<ReadonlyArray<Sighting>, StoreUnavailable>
  /**
   * Records what the quorum shows under the id of a deposit that was recorded otherwise, as a new sighting, and ends
   * this one as `close` does. None of this when there is a later sighting.
   */
  readonly correct: (sighting: number, shown: NamedDeposit) => Effect.Effect<void, StoreUnavailable>
  /**
   * Records deposits that name an unknown order as `foreign`: no work is started for them. A deposit that is recorded
   * already does not change. Returns how many were new. Takes a bounded number of statements.
   */
  readonly noteForeign: (
    deposits: ReadonlyArray<Deposit>,
    /** Milliseconds. */
    seenAt: number
  ) => Effect.Effect<number, StoreUnavailable>
  readonly find: (onchainId: Deposit["onchainId"]) => Effect.Effect<Sighting | undefined, StoreUnavailable>
  /** The deposit's current state; undefined when it is not recorded. */
  readonly stateOf: (onchainId: Deposit["onchainId"]) => Effect.Effect<DepositState | undefined, StoreUnavailable>
  /**
   * Open deposits, first seen first. For each order at most `ofOneOrder`: those with the highest precedence
   * (`NamedDeposit`). Each deposit that names no order counts by itself.
   */
  readonly open: (ofOneOrder: number) => Effect.Effect<ReadonlyArray<OpenDeposit>, StoreUnavailable>
  /** Deposits of a chain that were filled or refunded, last seen first. */
  readonly ended: (chainId: ChainId, limit: number) => Effect.Effect<ReadonlyArray<Sighting>, StoreUnavailable>
  /** Makes a new sighting of an open deposit, when the work for the last sighting has ended without closing it. */
  readonly sightAgain: (open: OpenDeposit) => Effect.Effect<Sighting | undefined, StoreUnavailable>
  /**
   * Makes a new sighting of a deposit that ended as unrefundable, and opens it again; undefined for any other deposit.
   */
  readonly reopen: (onchainId: Deposit["onchainId"]) => Effect.Effect<Sighting | undefined, StoreUnavailable>
  /**
   * Ends a sighting, and opens the settlement of what was filled or refunded; none of this when there is a later
   * sighting. In any case its order has no inventory reserved any more, and the deposit counts as no exposure.
   */
  readonly close: (
    onchainId: Deposit["onchainId"],
    sighting: number,
    state: Exclude<DepositState, "open">,
    /** Milliseconds. */
    at: number
  ) => Effect.Effect<void, StoreUnavailable>
}>()("causeway/ports/Deposits") {}
