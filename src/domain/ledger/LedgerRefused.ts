/** Why the ledger refused a movement: a closed, append-only list of reasons (LEDGER-2). */
import * as Data from "effect/Data"
import type { LedgerId } from "./Transaction.ts"

/** Why a ledger refuses a transaction: append-only. */
export const ledgerReasons = [
  /** A movement without postings. */
  "empty",
  /** An amount that is not above zero, or a capture of more than is held. */
  "invalid-amount",
  /** The postings of a currency do not sum to zero. */
  "unbalanced",
  /** Promises would become money, or money would become promises. */
  "unfunded",
  /** Another movement already has this id. */
  "duplicate-id",
  /** An account's balance would get the wrong sign. */
  "overdraft",
  /** A hold or a payout would be left partly open. */
  "hold-left-open",
  /** Promises of more than one sponsor would move, or a recipient would be paid more than the sponsor owes it. */
  "not-owed"
] as const
/** One of `ledgerReasons`. */
export type LedgerReason = (typeof ledgerReasons)[number]

/** A movement that may not be posted: not balanced, below zero, or different from one with its id. */
export class LedgerRefused extends Data.TaggedError("LedgerRefused")<{
  readonly id: LedgerId
  readonly reason: LedgerReason
  /** The key of the account that caused the refusal, if one did. */
  readonly account?: string
}> {}
