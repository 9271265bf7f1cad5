/**
 * Whether an excess is, less gas, what its deposit had above what the payment beside it was made for: above the quoted
 * amount at a strict address (ADDRESS-7), or what came back more than left (REFUND-9).
 */
import type { Deposit } from "../transfer/deposit/Deposit.ts"
import { unpaidOf } from "../transfer/payment/MissingDeposit.ts"
import { excessOf } from "../transfer/refund/Excess.ts"
import type { Transfer } from "../transfer/Transfer.ts"
import type { Finding } from "./Finding.ts"
import type { KeptPayment } from "./KeptPayment.ts"

/** True for a payment that returned an excess and is in a block. */
export const isExcess = ({ leg, state }: KeptPayment): boolean => leg.startsWith("excess:") && state === "included"

/**
 * `beside`: the refund of its deposit, or else the order's fill, which a reorg may have moved since the excess was paid.
 * `answered`: the deposit of that payment.
 */
export const judgeExcess = (
  chain: string,
  { amount, orderId, transactionId }: KeptPayment,
  transfer: Pick<Transfer, "terms"> | undefined,
  beside: KeptPayment | undefined,
  answered: Deposit | undefined
): ReadonlyArray<Finding> => {
  const most = transfer === undefined || beside === undefined || answered === undefined
    ? undefined
    : unpaidOf(transfer, [beside], answered) ?? excessOf(transfer, answered)
  if (most !== undefined && amount <= most) return []
  return [{
    kind: "excess-unfounded",
    chain,
    about: `excess of order ${orderId} (${transactionId})`,
    stored: `${amount} that was returned beside the payment of a deposit`,
    found: most === undefined ? "no deposit of it that was filled or refunded" : `${most} that was not paid for`
  }]
}
