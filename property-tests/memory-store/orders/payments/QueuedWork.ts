/**
 * Work without an order that payments are made for: sweeps, permits and payouts. It ends unpaid only while none of its
 * payments can be executed, and nothing is signed for work that has ended so (ADDRESS-18).
 */
import type { PaymentPurpose } from "../../../../ports/store/orders/Payments.ts"
import { keyOf } from "../../Tables.ts"
import type { Tables } from "../../Tables.ts"

/** Whether a payment of the work is signed, sent or in a block: the work is not over then. */
export const isInFlight = ({ payments }: Tables, leg: "sweep" | "permit" | "payout", id: string): boolean => {
  const state = payments.get(keyOf(id, leg))?.state
  return state === "signed" || state === "sent" || state === "included"
}

/** Whether the work that a payment is for has ended, and its money was not moved. */
export const hasEndedUnpaid = ({ payouts, permits, sweeps }: Tables, leg: PaymentPurpose, id: string): boolean =>
  (leg === "sweep" && sweeps.get(id)?.state === "void") ||
  (leg === "permit" && permits.get(id)?.state === "void") ||
  (leg === "payout" && payouts.get(id)?.state === "returned")
