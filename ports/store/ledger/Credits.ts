/**
 * Stores arrivals at the solver, and the last block that was scanned for them. There is one permanent row for each
 * transaction.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { NotCreditedReason } from "../../../src/domain/ledger/JudgeCredit.ts"
import type { Transaction } from "../../../src/domain/ledger/Transaction.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import type { Cursor } from "../../chain/DepositWatcher.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** A transaction that credited a wallet, or that was meant to and did not. */
export interface Arrival {
  readonly transactionId: TransactionId
  readonly sender: Address
  readonly block: BlockRef
  /** The amount of the token that the solver received, smallest units. */
  readonly amount: bigint
  readonly outcome:
    /** The movement is posted to the ledger in the transaction that stores the row. */
    | { readonly _tag: "Credited"; readonly wallet: Address; readonly movement: Transaction }
    | { readonly _tag: "NotCredited"; readonly reason: NotCreditedReason }
}

/** An arrival as listed. */
export interface RecordedArrival {
  readonly transactionId: TransactionId
  readonly sender: Address
  readonly block: BlockRef
  readonly amount: bigint
  /** The wallet that was credited; undefined when none was. */
  readonly wallet: Address | undefined
  /** Why no wallet was credited; undefined when one was. */
  readonly reason: NotCreditedReason | undefined
}

/** Arrivals at the solver and the cursor of their scan, written together. */
export class Credits extends Context.Service<Credits, {
  readonly cursor: (chainId: ChainId) => Effect.Effect<Cursor | undefined, StoreUnavailable>
  /** Sets the cursor of a chain that has none; one that has a cursor keeps it. */
  readonly anchor: (chainId: ChainId, at: Cursor) => Effect.Effect<void, StoreUnavailable>
  /**
   * Stores the arrivals, posts their credits and moves the cursor, all in one transaction. Returns the arrivals that
   * were new.
   */
  readonly record: (
    chainId: ChainId,
    cursor: Cursor,
    arrivals: ReadonlyArray<Arrival>,
    /** Milliseconds. */
    at: number
  ) => Effect.Effect<ReadonlyArray<Arrival>, StoreUnavailable>
  /** Oldest first. */
  readonly list: (chainId: ChainId) => Effect.Effect<ReadonlyArray<RecordedArrival>, StoreUnavailable>
}>()("causeway/ports/Credits") {}
