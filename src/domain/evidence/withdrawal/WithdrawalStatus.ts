/**
 * The status of a withdrawal: pending, executed or expired (EVIDENCE-4).
 *
 * SECURITY: expired means that it can never be executed. For an expiry by age, the withdrawal must be unused in a final
 * block after the expiration, and the head must be past the expiration by a margin.
 */
import type { WithdrawalStatus } from "../../hub/Message.ts"
import type { Expiration } from "../../hub/withdrawal/WithdrawalRules.ts"
import type { WithdrawalEvidence } from "./WithdrawalEvidence.ts"

/** The default of a chain's `expiryMarginSeconds`. */
export const EXPIRY_MARGIN_SECONDS = 60

/** In seconds. `told` is the expiration that the chain reports. Undefined where withdrawals never end by age. */
const secondOf = (expiration: Expiration, told: number | undefined): bigint | undefined => {
  switch (expiration._tag) {
    case "At":
      return expiration.second
    case "AsTold":
      return told === undefined || !Number.isSafeInteger(told) ? undefined : BigInt(told)
    case "Never":
      return undefined
  }
}

/** False for a time that is not a whole second. */
const isPast = (time: number, expiration: bigint): boolean => Number.isSafeInteger(time) && BigInt(time) > expiration

/** `marginSeconds`: how far the head must be past the expiration, in addition to the final block. */
export const statusOf = (
  expires: Expiration,
  state: WithdrawalEvidence["state"],
  marginSeconds: number
): WithdrawalStatus => {
  switch (state._tag) {
    case "Executed":
      return 1
    case "SpentOtherwise":
      return 2
    case "Unused": {
      const expiration = secondOf(expires, state.expiresAt)
      if (expiration === undefined) return 0
      return isPast(state.finalTime, expiration) && isPast(state.headTime - marginSeconds, expiration) ? 2 : 0
    }
  }
}
