/**
 * What a reconciliation since some time examines: everything that happened since, and everything still open, however
 * old.
 */
import type { KeptDeposit } from "./JudgeDeposits.ts"
import type { KeptPayment } from "./KeptPayment.ts"

/** Milliseconds; everything when undefined. */
export type Since = number | undefined

/** Decided by when the payment was signed, or by its block's time if that is later. */
export const isPaymentInScope = ({ block, signedAt, state }: KeptPayment, since: Since): boolean =>
  since === undefined || state === "signed" || state === "sent" || signedAt >= since ||
  (block !== undefined && block.time * 1000 >= since)

/** Decided by the time of the deposit's block. */
export const isDepositInScope = ({ deposit: { block }, state }: KeptDeposit, since: Since): boolean =>
  since === undefined || state === "open" || block.time * 1000 >= since
