/**
 * Stores payouts of app fees and app balances. A payout is created in one transaction with the ledger movement that
 * reserves its money, and ended in one transaction with the movement that spends or returns it.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { LedgerRefused } from "../../../src/domain/ledger/LedgerRefused.ts"
import type { PayoutRequest } from "../../../src/domain/ledger/Payout.ts"
import type { LedgerCurrency, Transaction } from "../../../src/domain/ledger/Transaction.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/**
 * `open` until it is `paid` and final, or `returned` because it can never be paid. `open` again when a reorg past
 * finality undoes the payment.
 */
export type PayoutState = "open" | "paid" | "returned"

/** A payout that was accepted. */
export interface Payout extends Omit<PayoutRequest, "deadline"> {
  /** What the wallet signed. The payment carries this id. */
  readonly id: Hex32
  /** The payment on the settlement chain, in smallest units of a currency there. */
  readonly paid: { readonly currency: LedgerCurrency; readonly amount: bigint }
  readonly state: PayoutState
  /** Milliseconds. */
  readonly askedAt: number
  /** Milliseconds; undefined while it is open. */
  readonly endedAt: number | undefined
  /** How often its payment was lost. Each round is a new run of the payout's workflow. */
  readonly round: number
}

/** A payout to be accepted. */
export type NewPayout = Omit<Payout, "state" | "endedAt" | "round">

/** Payouts of app fees and app balances. Creating one reserves its money in the same transaction. */
export class Payouts extends Context.Service<Payouts, {
  /**
   * Stores the payout and posts the movement, in one transaction. Idempotent: the same payout again changes nothing and
   * is returned. Fails with LedgerRefused and `duplicate-id` when the wallet has used the nonce for another payout of
   * the same kind.
   */
  readonly reserve: (
    payout: NewPayout,
    movement: Transaction
  ) => Effect.Effect<Payout, LedgerRefused | StoreUnavailable>
  readonly find: (id: Hex32) => Effect.Effect<Payout | undefined, StoreUnavailable>
  /** Oldest first. */
  readonly open: Effect.Effect<ReadonlyArray<Payout>, StoreUnavailable>
  /** How many payouts a wallet has requested since a time in milliseconds. */
  readonly askedSince: (wallet: Address, since: number) => Effect.Effect<number, StoreUnavailable>
  /**
   * Ends an open payout and posts the movement, in one transaction. Does nothing when the payout has ended or is in
   * another round. SECURITY: as `returned` only while none of its payments may still be executed, else its next round
   * begins and its money stays reserved; nothing is signed for one that is `returned` (ADDRESS-18).
   */
  readonly close: (
    id: Hex32,
    round: number,
    state: Exclude<PayoutState, "open">,
    movement: Transaction,
    /** Milliseconds. */
    at: number
  ) => Effect.Effect<void, LedgerRefused | StoreUnavailable>
  /**
   * Begins the next round of a payout whose payment was lost. If the payout was paid, the same transaction posts the
   * movement that reserves its money again. Does nothing for a payout that was returned, or an id that is no payout.
   */
  readonly reopen: (id: Hex32, at: number) => Effect.Effect<void, StoreUnavailable>
}>()("causeway/ports/Payouts") {}
