/** Whether a wallet may make itself another key (DASH-4). */
import { MicroUsdc } from "../ledger/MicroUsdc.ts"

/** The app balance that a wallet needs for making a key, micro-USDC: one USDC. */
export const MIN_BALANCE_FOR_KEY: MicroUsdc = MicroUsdc(1_000_000n)

/** How many valid keys a wallet may own. */
export const MAX_OWNED_KEYS = 20

/** The valid keys that a wallet owns, and its unspent app balance. */
export interface KeyOwner {
  readonly valid: number
  readonly balance: MicroUsdc
}

/** Why the owner may not make another key; undefined when it may. */
export const judgeNewKey = ({ balance, valid }: KeyOwner): string | undefined => {
  if (balance < MIN_BALANCE_FOR_KEY) return "pay in at least 1 USDC of app balance first: a key spends it"
  return valid < MAX_OWNED_KEYS ? undefined : `a wallet has at most ${MAX_OWNED_KEYS} valid keys: revoke one first`
}
