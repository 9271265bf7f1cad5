/**
 * How it stands with a withdrawal: pending, executed or expired (EVIDENCE-4).
 *
 * SECURITY: expired means that it can never be executed any more. By age alone that takes a final
 * block after the expiration in which it was unused, and a head that is past it by a margin.
 */
import type { WithdrawalStatus } from "../../hub/Message.ts"
import type { Withdrawal } from "../../hub/withdrawal/Withdrawal.ts"
import type { WithdrawalEvidence } from "./WithdrawalEvidence.ts"

/** The default of a chain's `expiryMarginSeconds`. */
export const EXPIRY_MARGIN_SECONDS = 60

/**
 * When a withdrawal expires, in seconds. `told` is the chain's word, which counts on exchange B, whose
 * withdrawals do not hold it. Undefined where age alone never ends a withdrawal.
 */
const expirationOf = (withdrawal: Withdrawal, told: number | undefined): bigint | undefined => {
  switch (withdrawal.family) {
    case "ethereum-vm":
    case "tron-vm":
      return withdrawal.request.expiration
    case "solana-vm":
      return withdrawal.request.expiration
    case "exchangeb-vm":
      return told === undefined || !Number.isSafeInteger(told) ? undefined : BigInt(told)
    case "bitcoin-vm":
    case "exchangea-vm":
      return undefined
  }
}

/** A time that is no whole second is past nothing. */
const isPast = (time: number, expiration: bigint): boolean => Number.isSafeInteger(time) && BigInt(time) > expiration

/** `marginSeconds`: how far the head must be past the expiration besides the final block. */
export const statusOf = (
  withdrawal: Withdrawal,
  state: WithdrawalEvidence["state"],
  marginSeconds: number
): WithdrawalStatus => {
  switch (state._tag) {
    case "Executed":
      return 1
    case "SpentOtherwise":
      return 2
    case "Unused": {
      const expiration = expirationOf(withdrawal, state.expiresAt)
      if (expiration === undefined) return 0
      return isPast(state.finalTime, expiration) && isPast(state.headTime - marginSeconds, expiration) ? 2 : 0
    }
  }
}
