/**
 * Why a posted signature is not submitted (STEP-8, STEP-10, ERROR-2 PERMIT_FAILED, STEP-11). Nothing changes, and the
 * message says what to do.
 */
import * as Data from "effect/Data"

/** All reasons, each with its own sentence. */
export const permitReasons = [
  "unknown-request",
  "no-permit",
  "wrong-kind",
  "expired",
  "wrong-signer",
  "used",
  "no-balance",
  "no-approval",
  "tries",
  "reverts",
  "route",
  "paused",
  "deposited",
  "refund",
  "busy",
  "capped"
] as const

export class PermitRefused extends Data.TaggedError("PermitRefused")<{
  readonly reason: (typeof permitReasons)[number]
  readonly message: string
}> {}
