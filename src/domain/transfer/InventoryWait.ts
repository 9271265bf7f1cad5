/**
 * Until when a fill waits for inventory that the solver does not have, if the request allows it (useExternalLiquidity).
 */
import type { Deposit } from "./deposit/Deposit.ts"
import type { Transfer, TransferTerms } from "./Transfer.ts"

/**
 * Seconds; counted from the deposit, and never beyond the quote's time to live. Undefined when the request must not
 * wait.
 */
export const inventoryWaitEnd = (
  { quotedAt, terms: { ttlSeconds, waitSeconds } }: Pick<Transfer, "quotedAt"> & {
    readonly terms: Pick<TransferTerms, "ttlSeconds" | "waitSeconds">
  },
  { block }: Pick<Deposit, "block">
): number | undefined => {
  if (waitSeconds === undefined) return undefined
  const bound = block.time + waitSeconds
  return ttlSeconds === undefined ? bound : Math.min(bound, Math.floor(quotedAt / 1000) + ttlSeconds)
}
