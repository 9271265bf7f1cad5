/**
 * Why a claim, a withdrawal, or a sponsor's payment of owed app fees is refused: a closed, append-only list of reasons
 * (BALANCE-4).
 */
import * as Data from "effect/Data"

/** Append-only: clients distinguish refusals by these. */
export const payoutReasons = [
  /** Not above zero. */
  "PAYOUT_INVALID_AMOUNT",
  /** Not served, or not available for this kind of payout. */
  "PAYOUT_UNSUPPORTED_CURRENCY",
  /** Not an account of the settlement chain, or one of the service's own. */
  "PAYOUT_INVALID_RECIPIENT",
  /** The deadline has passed. */
  "PAYOUT_EXPIRED",
  /** Not the wallet's signature of these values. */
  "PAYOUT_WRONG_SIGNATURE",
  /** Another payout of the wallet has this nonce. */
  "PAYOUT_NONCE_USED",
  /** More than the balance. */
  "PAYOUT_INSUFFICIENT_BALANCE",
  /** Less than paying it costs. */
  "PAYOUT_TOO_LOW",
  /** The recipient is a contract that does not accept the payment. */
  "PAYOUT_RECIPIENT_REFUSES",
  /** The wallet has asked for too many payouts in a day. */
  "PAYOUT_TOO_MANY",
  /** More than the wallet owes the recipient. */
  "PAYOUT_NOT_OWED"
] as const

/** One of `payoutReasons`. */
export type PayoutReason = (typeof payoutReasons)[number]

/** Why app money is not paid out. `reason` is stable; the message is for people. */
export class PayoutRefused extends Data.TaggedError("PayoutRefused")<{
  readonly reason: PayoutReason
  readonly message: string
}> {}
