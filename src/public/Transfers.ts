/** A transfer's life: its status machine with the bounds of its states, its deposit, its refund. */
export { boundOf, type ChainTimes, endsBy, isOverdue, UNPAID_SECONDS } from "../domain/transfer/Bounds.ts"
export { Deposit } from "../domain/transfer/deposit/Deposit.ts"
export { FailReason } from "../domain/transfer/FailReason.ts"
export {
  type DepositVerdict,
  FinalVerdict,
  judgeDeposit,
  judgeRepriced,
  PRICE_HOLD_SECONDS
} from "../domain/transfer/deposit/JudgeDeposit.ts"
export { planRefund, refundAmount, type RefundPlan } from "../domain/transfer/refund/RefundPlan.ts"
export {
  type FeeBid,
  type FeeMarket,
  judgeReplacement,
  mayNeedReplacement,
  type Replacement,
  replacementBounds,
  type ReplacementBounds,
  type WaitingPayment
} from "../domain/transfer/payment/ReplacePayment.ts"
export { makeRequestId, RequestId } from "../domain/transfer/RequestId.ts"
export { canMove, isTerminal, Status } from "../domain/transfer/Status.ts"
export { Transfer, TransferTerms } from "../domain/transfer/Transfer.ts"
