/** The result of a due payment. */
import type { StoredPayment } from "../../../ports/store/orders/Payments.ts"
import type { PaymentRefused } from "../../../ports/chain/Treasury.ts"

/**
 * Why nothing was paid. `claimed`: another deposit has the payment, or another payment of the order excludes it.
 * `undue`, `unborne`, `greedy`: by the conditions of the due payment. `undue` also when its deposit is gone by the store's
 * record; `greedy`: the recipient's code takes more than its price holds.
 */
export type Unpaid = "claimed" | "expired" | "greedy" | "unborne" | "undue" | PaymentRefused["reason"]

/** `gasPaid` and `rentPaid` in smallest units of the chain's native currency; `height` is the block's. */
export type Payout =
  | { readonly _tag: "Paid"; readonly gasPaid: bigint; readonly rentPaid: bigint | undefined; readonly height: bigint }
  | { readonly _tag: "Reverted"; readonly gasPaid: bigint; readonly height: bigint }
  | { readonly _tag: "Unpaid"; readonly why: Unpaid }

/** What this process has recorded as paid, with the payment as the store has it. */
export type RecordedPayout = Extract<Payout, { readonly _tag: "Paid" }> & { readonly payment: StoredPayment }

/** True when another deposit has the payment. */
export const isClaimed = (payout: Payout | undefined): boolean => payout?._tag === "Unpaid" && payout.why === "claimed"
