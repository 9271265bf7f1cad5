/** What the settlement hub knows: ids, actions, executions, messages, withdrawals (EXEC-3, EVIDENCE-1). */
export { type Action, type Burn, decodeAction, encodeAction, type Mint, type Transfer as HubTransfer } from "../domain/settlement/Action.ts"
export { alias } from "../domain/settlement/Alias.ts"
export type { ChainRef } from "../domain/settlement/ChainRef.ts"
export { domainSeparator, type Execution, executionDigest, type ExecutionDomain } from "../domain/settlement/Execution.ts"
export { hubChainId } from "../domain/settlement/HubChainId.ts"
export { hubTokenId } from "../domain/settlement/HubTokenId.ts"
export {
  depositsKey,
  executedWithdrawalKey,
  expiredWithdrawalKey,
  initiationKey,
  settlementKey
} from "../domain/settlement/IdempotencyKey.ts"
export { type Issuance, issuanceHash } from "../domain/settlement/Issuance.ts"
export {
  type DepositMessage,
  depositMessageId,
  type WithdrawalMessage,
  withdrawalMessageId,
  type WithdrawalStatus
} from "../domain/settlement/Message.ts"
export { orderAddress } from "../domain/settlement/OrderAddress.ts"
export { onchainId } from "../domain/settlement/ProtocolId.ts"
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
} from "../domain/settlement/SettlementMessage.ts"
export {
  decodeWithdrawal,
  encodeWithdrawal,
  InvalidWithdrawal,
  type Payout,
  type PayoutContext,
  payoutOf,
  type Withdrawal,
  withdrawalId
} from "../domain/settlement/Withdrawal.ts"
export { withdrawalAddress, type WithdrawalAddressParts } from "../domain/settlement/WithdrawalAddress.ts"
export { balanceProof, initiationHash, type WithdrawalInitiation } from "../domain/settlement/WithdrawalInitiation.ts"
