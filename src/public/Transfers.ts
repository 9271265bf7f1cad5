/** A transfer's life: its status machine with the bounds of its states, its deposit, its refund. */
export { boundOf, type ChainTimes, endsBy, isOverdue, UNPAID_SECONDS } from "../domain/transfer/Bounds.ts"
export { Deposit } from "../domain/transfer/Deposit.ts"
export { FailReason } from "../domain/transfer/FailReason.ts"
export { type DepositVerdict, FinalVerdict, judgeDeposit, judgeRepriced, PRICE_HOLD_SECONDS } from "../domain/transfer/JudgeDeposit.ts"
export { planRefund, refundAmount, type RefundPlan } from "../domain/transfer/RefundPlan.ts"
export { makeRequestId, RequestId } from "../domain/transfer/RequestId.ts"
export { canMove, isTerminal, Status } from "../domain/transfer/Status.ts"
export { Transfer, TransferTerms } from "../domain/transfer/Transfer.ts"
