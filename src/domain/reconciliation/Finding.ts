/** A difference between the store and the chain: what it is about, and both sides in words. */

/** Append-only: operators' scripts use these names (docs/operating-the-transfer-service.md). */
export const findingKinds = [
  "overdue-request",
  "refund-held",
  "ledger-balance",
  "credit-unfounded",
  "credit-missed",
  "payout-unpaid",
  "payment-missing",
  "payment-failed",
  "payment-succeeded",
  "payment-differs",
  "payment-unrecorded",
  "sequence-unaccounted",
  "paid-twice",
  "deposit-unpaid",
  "deposit-missed",
  "deposit-differs",
  "deposit-vanished",
  "inventory-short",
  "excess-unfounded",
  "submission-unfollowed"
] as const
/** The kind of a difference between the store and the chains. */
export type FindingKind = (typeof findingKinds)[number]

export interface Finding {
  readonly kind: FindingKind
  /** The chain's name; undefined for a finding about the store alone. */
  readonly chain: string | undefined
  readonly about: string
  readonly stored: string
  readonly found: string
}

/** One line for a person. */
export const describeFinding = ({ about, chain, found, kind, stored }: Finding): string =>
  `${kind}${chain === undefined ? "" : ` on ${chain}`}: ${about}: the store says ${stored}, found ${found}`
