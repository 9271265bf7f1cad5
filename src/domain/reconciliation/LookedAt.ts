/** What an audit since some time looks at: what has happened since, and what is still open, however old. */
import type { KeptDeposit } from "./JudgeDeposits.ts"
import type { KeptPayment } from "./KeptPayment.ts"

/** Milliseconds; everything when undefined. */
export type Since = number | undefined

/** By when it was signed, or stood in a block if that was later. */
export const isPaymentLookedAt = ({ block, signedAt, state }: KeptPayment, since: Since): boolean =>
  since === undefined || state === "signed" || state === "sent" || signedAt >= since ||
  (block !== undefined && block.time * 1000 >= since)

/** By its block's time. */
export const isDepositLookedAt = ({ deposit: { block }, state }: KeptDeposit, since: Since): boolean =>
  since === undefined || state === "open" || block.time * 1000 >= since
