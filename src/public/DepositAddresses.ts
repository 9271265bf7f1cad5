/**
 * Strict and open deposit addresses: where they are, what becomes of a deposit, refunds, reindexing (REFUND-4,
 * ADDRESS-5).
 */
export { AddressOutcome, RefundState, type Reprice } from "../domain/deposit-address/AddressOutcome.ts"
export type { AddressDeposit, AddressTerms, OpenTerms, StrictTerms } from "../domain/deposit-address/AddressTerms.ts"
export {
  type AddressRecord,
  admitReindex,
  REINDEX_INTERVAL_SECONDS,
  type ReindexFacts,
  ReindexRefused
} from "../domain/deposit-address/reindex/AdmitReindex.ts"
export {
  computeDepositAddress,
  type DepositAddressParts,
  depositAddressSalt
} from "../domain/deposit-address/DepositAddress.ts"
export { type KeyFamily, keyPath, type KeyPlace } from "../domain/deposit-address/HardenedKeys.ts"
export { judgeAddressDeposit, settleReprice } from "../domain/deposit-address/JudgeAddressDeposit.ts"
export {
  type CurrencyFacts,
  isWorthSweeping,
  planReindex,
  type Reading,
  type ReindexPlan,
  type Sweeps
} from "../domain/deposit-address/reindex/PlanReindex.ts"
export { planRefundPart, type RefundAddresses, type RefundPart } from "../domain/deposit-address/RefundPart.ts"
