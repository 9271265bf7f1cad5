/** States and reasons in plain words: one sentence each, for readers who know neither. */
import type { FailReason } from "../transfer/FailReason.ts"
import type { Status } from "../transfer/Status.ts"

/** The title of a request's page, by status. */
export const headlines: Readonly<Record<Status, string>> = {
  waiting: "Waiting for the deposit",
  depositing: "Deposit seen",
  pending: "Deposit confirmed",
  submitted: "Payment sent",
  delayed: "Taking longer than expected",
  success: "Delivered",
  refund: "Refunded",
  failure: "Not delivered"
}

/** Why a deposit was not filled. */
export const reasons: Readonly<Record<FailReason, string>> = {
  DEPOSIT_CHAIN_MISMATCH: "The deposit was made on another chain than the one that was quoted.",
  DEPOSITED_AMOUNT_TOO_LOW_TO_FILL: "Less was deposited than was quoted.",
  INCORRECT_DEPOSIT_CURRENCY: "Another currency was deposited than the one that was quoted.",
  DOUBLE_SPEND: "The request was paid already: this is a further deposit for it.",
  TTL_EXPIRED: "It took longer than the request allowed.",
  DEPOSIT_REORGED: "The chain took the deposit back.",
  SLIPPAGE: "The price moved: less would have arrived than the quote's least amount.",
  SOLVER_CAPACITY_EXCEEDED: "There were not enough funds on the destination chain to make the payment.",
  SPONSOR_BALANCE_TOO_LOW: "The sponsor's balance did not cover the fees that it was to pay.",
  ORDER_EXPIRED: "The deposit came after the quote had expired.",
  TRANSACTION_REVERTED: "The payment was refused on its chain.",
  AMOUNT_TOO_LOW_TO_REFUND: "The deposit is not worth the gas of sending it back.",
  UNKNOWN: "The reason was not recorded."
}

/** The reason for returning money above the quoted amount, which is not a failure. */
export const excessReason = "More was deposited than was quoted: this is what was left over."
