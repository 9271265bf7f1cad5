/** What the settlement hub knows: ids, actions, executions, messages, withdrawals (EXEC-3, EVIDENCE-1). */
export {
  type Action,
  type Burn,
  decodeAction,
  encodeAction,
  type Mint,
  type Transfer as HubTransfer
} from "../domain/hub/Action.ts"
export { alias } from "../domain/hub/Alias.ts"
export type { ChainRef } from "../domain/hub/ChainRef.ts"
export { domainSeparator, type Execution, executionDigest, type ExecutionDomain } from "../domain/hub/Execution.ts"
export { hubChainId } from "../domain/hub/HubChainId.ts"
export { hubTokenId } from "../domain/hub/HubTokenId.ts"
export {
  depositsKey,
  executedWithdrawalKey,
  expiredWithdrawalKey,
  initiationKey,
  settlementKey
} from "../domain/hub/IdempotencyKey.ts"
export { type Issuance, issuanceHash } from "../domain/hub/Issuance.ts"
export {
  type DepositMessage,
  depositMessageId,
  type WithdrawalMessage,
  withdrawalMessageId,
  type WithdrawalStatus
} from "../domain/hub/Message.ts"
export { orderAddress } from "../domain/hub/OrderAddress.ts"
export { onchainId } from "../domain/hub/ProtocolId.ts"
export {
  type FillClaim,
  fillMessageId,
  type InputEntry,
  InvalidMessage,
  type RefundClaim,
  type RefundEntry,
  refundMessageId,
  type SettlementContext,
  type SettlementResult
} from "../domain/hub/SettlementMessage.ts"
export {
  decodeWithdrawal,
  encodeWithdrawal,
  payoutOf,
  type Withdrawal,
  withdrawalId
} from "../domain/families/Withdrawals.ts"
export {
  asInvalidWithdrawal,
  InvalidWithdrawal,
  invalidWithdrawal
} from "../domain/hub/withdrawal/InvalidWithdrawal.ts"
export type { Payout } from "../domain/hub/withdrawal/Payout.ts"
export {
  expiresAsTold,
  expiresAt,
  neverExpires,
  type PayoutContext,
  type ReadWithdrawal,
  type WithdrawalRules,
  withdrawalRules
} from "../domain/hub/withdrawal/WithdrawalRules.ts"
export { withdrawalAddress, type WithdrawalAddressParts } from "../domain/hub/withdrawal/WithdrawalAddress.ts"
export {
  balanceProof,
  initiationHash,
  type WithdrawalInitiation
} from "../domain/hub/withdrawal/WithdrawalInitiation.ts"
