/** What a chain can show, and the judges of deposits, fills, refunds and withdrawals (CLAIM-1). */
export { BlockRef } from "../domain/evidence/BlockRef.ts"
export { finalityOf, FinalitySeen, type Heads } from "../domain/evidence/Finality.ts"
export type { JudgeContext, JudgedChain } from "../domain/evidence/judges/JudgeContext.ts"
export {
  type DepositClaim,
  type DepositMetadata,
  type JudgedDeposit,
  type JudgedDeposits,
  judgeDeposits
} from "../domain/evidence/judges/JudgeDeposits.ts"
export { type JudgedSettlement, judgeFill } from "../domain/evidence/judges/JudgeFill.ts"
export {
  type HubBalance,
  type InitiationClaim,
  type JudgedInitiated,
  type JudgedInitiation,
  judgeInitiated,
  judgeInitiation
} from "../domain/evidence/withdrawal/JudgeInitiation.ts"
export { judgeRefund, refundDue } from "../domain/evidence/judges/JudgeRefund.ts"
export {
  type JudgedWithdrawal,
  judgeWithdrawal,
  type WithdrawalClaim,
  type WithdrawalTerms
} from "../domain/evidence/withdrawal/JudgeWithdrawal.ts"
export { isNotYet, Refusal, RefusalReason, refusalReasons } from "../domain/evidence/judges/Refusal.ts"
export { sameObservation, sameWithdrawal } from "../domain/evidence/SameEvidence.ts"
export {
  AbsentTransaction,
  DepositEvidence,
  Observation,
  PaymentEvidence,
  RouterCallEvidence,
  Through,
  TransactionEvidence
} from "../domain/evidence/TransactionEvidence.ts"
export { WithdrawalEvidence } from "../domain/evidence/withdrawal/WithdrawalEvidence.ts"
export type { WithdrawalRequest } from "../domain/evidence/withdrawal/WithdrawalRequest.ts"
export { EXPIRY_MARGIN_SECONDS } from "../domain/evidence/withdrawal/WithdrawalStatus.ts"
