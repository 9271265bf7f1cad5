/**
 * Whether the excess returned beside a fill is what the filled deposit had above the quoted amount, less gas
 * (ADDRESS-7).
 */
import type { Deposit } from "../transfer/deposit/Deposit.ts"
import { excessOf } from "../transfer/refund/Excess.ts"
import type { Transfer } from "../transfer/Transfer.ts"
import type { Finding } from "./Finding.ts"
import type { KeptPayment } from "./KeptPayment.ts"

/** True for a payment that returned an excess and is in a block (ADDRESS-7). */
export const isExcess = ({ leg, state }: KeptPayment): boolean => leg.startsWith("excess:") && state === "included"

/** `filled`: the deposit that the order's fill belongs to now. A reorg may have moved it since the excess was paid. */
export const judgeExcess = (
  chain: string,
  { amount, orderId, transactionId }: KeptPayment,
  transfer: Pick<Transfer, "terms"> | undefined,
  filled: Deposit | undefined
): ReadonlyArray<Finding> => {
  const most = transfer === undefined || filled === undefined ? undefined : excessOf(transfer, filled)
  if (most !== undefined && amount <= most) return []
  return [{
    kind: "excess-unfounded",
    chain,
    about: `excess of order ${orderId} (${transactionId})`,
    stored: `${amount} that was paid above the quoted amount`,
    found: most === undefined ? "no deposit of it that was filled" : `${most} above it`
  }]
}
