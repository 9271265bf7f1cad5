/**
 * Why a claim, a withdrawal or the payment of app fees that a sponsor owes changes nothing: a closed, append-only list
 * of reasons (BALANCE-4).
 */
import * as Data from "effect/Data"

/** Append-only: clients tell refusals apart by these. */
export const payoutReasons = [
  /** Not above zero. */
  "PAYOUT_INVALID_AMOUNT",
  /** Not served, or not one that this kind of payout is in. */
  "PAYOUT_UNSUPPORTED_CURRENCY",
  /** No account of the settlement chain, or one of the service's own. */
  "PAYOUT_INVALID_RECIPIENT",
  /** The deadline has passed. */
  "PAYOUT_EXPIRED",
  /** Not the wallet's signature of these values. */
  "PAYOUT_WRONG_SIGNATURE",
  /** The nonce stands for another payout of the wallet. */
  "PAYOUT_NONCE_USED",
  /** More than there is. */
  "PAYOUT_INSUFFICIENT_BALANCE",
  /** Less than paying it costs. */
  "PAYOUT_TOO_LOW",
  /** The recipient is a contract that does not take it. */
  "PAYOUT_RECIPIENT_REFUSES",
  /** The wallet has asked for too many in a day. */
  "PAYOUT_TOO_MANY",
  /** More than the wallet owes the recipient. */
  "PAYOUT_NOT_OWED"
] as const

/** One of `payoutReasons`. */
export type PayoutReason = (typeof payoutReasons)[number]

export class PayoutRefused extends Data.TaggedError("PayoutRefused")<{
  readonly reason: PayoutReason
  readonly message: string
}> {}
