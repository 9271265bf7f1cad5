/** App balances: the double-entry ledger, its movements, and credits that a chain shows (BALANCE-1, LEDGER-1). */
export { Account, accountKey, isFunded, mayHave, ownerOf } from "../domain/app-balance/Account.ts"
export {
  type CreditCall,
  type CreditedAccount,
  decodeCreditCalldata,
  encodeCreditCalldata,
  InvalidCreditCall,
  mentionsCredit
} from "../domain/app-balance/CreditCalldata.ts"
export { type Debt, debtChanges, debtKey, type DebtParties } from "../domain/app-balance/Debts.ts"
export {
  type CreditEvidence,
  type CreditKey,
  type CreditTerms,
  type CreditVerdict,
  judgeCredit,
  type NotCreditedReason,
  notCreditedReasons,
  type TransferLog
} from "../domain/app-balance/JudgeCredit.ts"
export { type BalanceOf, type DebtOf, type Judged, judgeTransaction, type NewBalance } from "../domain/app-balance/JudgeTransaction.ts"
export { balanceOf, debtOf, emptyLedger, type Ledger, post, sumPostings } from "../domain/app-balance/Ledger.ts"
export { accrualId, creditId, payoutMovementId, signedMovementId, sponsorMovementId } from "../domain/app-balance/LedgerIds.ts"
export { type LedgerReason, ledgerReasons, LedgerRefused } from "../domain/app-balance/LedgerRefused.ts"
export { MicroUsdc, microUsdcCeil, zeroMicroUsdc } from "../domain/app-balance/MicroUsdc.ts"
export { type PayoutDomain, payoutDomainName, payoutId, PayoutKind, type PayoutRequest, payoutTypes } from "../domain/app-balance/Payout.ts"
export { type PayoutReason, payoutReasons, PayoutRefused } from "../domain/app-balance/PayoutRefused.ts"
export { settleDigest, type SettleRequest, settleType } from "../domain/app-balance/SettleAppFees.ts"
/** Constructors of ledger transactions: `Movements.hold`, `Movements.capture`, `Movements.release`, … */
export * as Movements from "../domain/app-balance/Movements.ts"
export {
  currencyKey,
  LedgerCurrency,
  LedgerId,
  Posting,
  sameTransaction,
  transaction as ledgerTransaction,
  Transaction as LedgerTransaction,
  TransactionKind
} from "../domain/app-balance/Transaction.ts"
