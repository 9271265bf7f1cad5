/**
 * Where payouts of app fees and app balances are kept. One is made together with the movement that sets its money
 * aside, and ended together with the one that takes it from there: never the one without the other.
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
 * `open` until it is `paid` for good, or `returned` because it can never be; `open` again when a reorganisation undoes
 * what was final.
 */
export type PayoutState = "open" | "paid" | "returned"

/** A payout that was accepted. */
export interface Payout extends Omit<PayoutRequest, "deadline"> {
  /** What the wallet signed; the payment names it. */
  readonly id: Hex32
  /** What is paid on the settlement chain, smallest units of a currency there. */
  readonly paid: { readonly currency: LedgerCurrency; readonly amount: bigint }
  readonly state: PayoutState
  /** Milliseconds. */
  readonly askedAt: number
  /** Milliseconds; undefined while it is open. */
  readonly endedAt: number | undefined
  /** How often its payment was lost again: each time it is looked after anew. */
  readonly round: number
}

/** A payout that is to be accepted. */
export type NewPayout = Omit<Payout, "state" | "endedAt" | "round">

export class Payouts extends Context.Service<Payouts, {
  /**
   * Keeps the payout and posts the movement, in one transaction. The same payout again changes nothing and is the
   * answer; LedgerRefused with `duplicate-id` when the wallet has used the nonce for another one of the kind.
   */
  readonly reserve: (
    payout: NewPayout,
    movement: Transaction
  ) => Effect.Effect<Payout, LedgerRefused | StoreUnavailable>
  readonly find: (id: Hex32) => Effect.Effect<Payout | undefined, StoreUnavailable>
  /** Oldest first. */
  readonly open: Effect.Effect<ReadonlyArray<Payout>, StoreUnavailable>
  /** How many a wallet has asked for since a time, milliseconds. */
  readonly askedSince: (wallet: Address, since: number) => Effect.Effect<number, StoreUnavailable>
  /**
   * Ends an open payout and posts the movement, in one transaction; does nothing to one that has ended, or is in
   * another round by now.
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
   * Begins the next round of a payout whose payment was lost, in one transaction with the movement that sets its money
   * aside again if it was paid. Does nothing to one that was returned, nor for an id that is no payout.
   */
  readonly reopen: (id: Hex32, at: number) => Effect.Effect<void, StoreUnavailable>
}>()("causeway/ports/Payouts") {}
