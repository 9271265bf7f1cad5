/**
 * Where sighted deposits and the scanning cursors are kept. Seeing a deposit twice is seeing it once; seeing it in
 * another block, or again after it was gone, is a new sighting of it.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import type { Cursor } from "../../chain/DepositWatcher.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** `open` until its filling has ended one way or the other; `foreign` when it names no transfer of ours. */
export type DepositState = "open" | "filled" | "refunded" | "gone" | "foreign" | "unrefundable"

/** A deposit and how many times it has been looked at anew: what has to be done for it is done for each sighting. */
export interface Sighting {
  readonly deposit: Deposit
  readonly sighting: number
}

/** What is known of an open deposit without reading it. */
export interface OpenDeposit {
  readonly onchainId: Deposit["onchainId"]
  readonly sighting: number
}

/** A deposit that is recorded for an order of ours. */
export interface NamedDeposit {
  readonly deposit: Deposit
  /** Among the open deposits of its order the greater comes first (`precedenceOf`). */
  readonly precedence: bigint
}

export class Deposits extends Context.Service<Deposits, {
  readonly cursor: (chainId: ChainId) => Effect.Effect<Cursor | undefined, StoreUnavailable>
  /** Sets the cursor of a chain that has none; one that has a cursor keeps it. */
  readonly anchor: (chainId: ChainId, cursor: Cursor) => Effect.Effect<void, StoreUnavailable>
  /**
   * Records the deposits of a scan and its cursor in one transaction; answers with the new sightings among them. Any
   * number of them takes a bounded number of statements.
   */
  readonly record: (
    chainId: ChainId,
    cursor: Cursor,
    deposits: ReadonlyArray<NamedDeposit>,
    /** Milliseconds. */
    seenAt: number
  ) => Effect.Effect<ReadonlyArray<Sighting>, StoreUnavailable>
  /**
   * Records deposits that were looked for by their transaction; no cursor moves. Answers with the new sightings among
   * them.
   */
  readonly note: (
    deposits: ReadonlyArray<NamedDeposit>,
    /** Milliseconds. */
    seenAt: number
  ) => Effect.Effect<ReadonlyArray<Sighting>, StoreUnavailable>
  /**
   * Records deposits for orders that nobody made, as `foreign`: nothing is begun for them. One that is recorded already
   * stays as it is. Answers with how many were not known; for any number of them in a bounded number of statements.
   */
  readonly noteForeign: (
    deposits: ReadonlyArray<Deposit>,
    /** Milliseconds. */
    seenAt: number
  ) => Effect.Effect<number, StoreUnavailable>
  readonly find: (onchainId: Deposit["onchainId"]) => Effect.Effect<Sighting | undefined, StoreUnavailable>
  /** How it stands now; undefined when it is not recorded. */
  readonly stateOf: (onchainId: Deposit["onchainId"]) => Effect.Effect<DepositState | undefined, StoreUnavailable>
  /**
   * Open deposits, the first seen first, and of one order no more than so many: those that come first among its own
   * (`NamedDeposit`). Each that names no order counts for itself.
   */
  readonly open: (ofOneOrder: number) => Effect.Effect<ReadonlyArray<OpenDeposit>, StoreUnavailable>
  /** Deposits of a chain that were filled or refunded, the last seen first. */
  readonly ended: (chainId: ChainId, limit: number) => Effect.Effect<ReadonlyArray<Sighting>, StoreUnavailable>
  /** A new sighting of an open deposit, for when what was begun for the last one has ended without closing it. */
  readonly sightAgain: (open: OpenDeposit) => Effect.Effect<Sighting | undefined, StoreUnavailable>
  /** A new sighting of a deposit that ended as unrefundable, which is open again; undefined for any other. */
  readonly reopen: (onchainId: Deposit["onchainId"]) => Effect.Effect<Sighting | undefined, StoreUnavailable>
  /** Ends a sighting; does nothing when there has been a later one. */
  readonly close: (
    onchainId: Deposit["onchainId"],
    sighting: number,
    state: Exclude<DepositState, "open">,
    /** Milliseconds. */
    at: number
  ) => Effect.Effect<void, StoreUnavailable>
}>()("causeway/ports/Deposits") {}
