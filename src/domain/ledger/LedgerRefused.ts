/** Why the ledger refused a movement: a closed, append-only list of reasons (LEDGER-2). */
import * as Data from "effect/Data"
import type { LedgerId } from "./Transaction.ts"

/** Why a ledger refuses a transaction: append-only. */
export const ledgerReasons = [
  /** A movement of nothing. */
  "empty",
  /** An amount that is not above zero, or more captured than held. */
  "invalid-amount",
  /** The postings of a currency do not sum to zero. */
  "unbalanced",
  /** Promises would become money, or money promises. */
  "unfunded",
  /** The id stands for another movement already. */
  "duplicate-id",
  /** An account would pass zero. */
  "overdraft",
  /** A hold or a payout would be left partly open. */
  "hold-left-open",
  /** Promises would move that are not one sponsor's, or more be paid to a recipient than the sponsor owes it. */
  "not-owed"
] as const
/** One of `ledgerReasons`. */
export type LedgerReason = (typeof ledgerReasons)[number]

export class LedgerRefused extends Data.TaggedError("LedgerRefused")<{
  readonly id: LedgerId
  readonly reason: LedgerReason
  /** The account that is to blame, by its key, when one is. */
  readonly account?: string
}> {}
