/** Why a request was refunded or failed (STATUS-4): append-only, "N/A" unless it failed or was refunded. */
import * as Schema from "effect/Schema"

/** Why a deposit was not filled. The list is only ever added to. */
export const FailReason = Schema.Literals([
  "DEPOSIT_CHAIN_MISMATCH",
  "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL",
  "INCORRECT_DEPOSIT_CURRENCY",
  "DOUBLE_SPEND",
  "TTL_EXPIRED",
  "DEPOSIT_REORGED",
  "SLIPPAGE",
  "SOLVER_CAPACITY_EXCEEDED",
  "SPONSOR_BALANCE_TOO_LOW",
  "ORDER_EXPIRED",
  "TRANSACTION_REVERTED",
  "AMOUNT_TOO_LOW_TO_REFUND",
  "UNKNOWN"
])
export type FailReason = typeof FailReason.Type
