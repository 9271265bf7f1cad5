/** App balances: the double-entry ledger, its movements, and credits that a chain shows (BALANCE-1, LEDGER-1). */
export { Account, accountKey, isFunded, mayHave, ownerOf } from "../domain/ledger/Account.ts"
export {
  type CreditCall,
  type CreditedAccount,
  decodeCreditCalldata,
  encodeCreditCalldata,
  InvalidCreditCall,
  mentionsCredit
} from "../domain/ledger/CreditCalldata.ts"
export { type Debt, debtChanges, debtKey, type DebtParties } from "../domain/ledger/Debts.ts"
export {
  type CreditEvidence,
  type CreditKey,
  type CreditTerms,
  type CreditVerdict,
  judgeCredit,
  type NotCreditedReason,
  notCreditedReasons,
  type TransferLog
} from "../domain/ledger/JudgeCredit.ts"
export {
  type BalanceOf,
  type DebtOf,
  type Judged,
  judgeTransaction,
  type NewBalance
} from "../domain/ledger/JudgeTransaction.ts"
export { balanceOf, debtOf, emptyLedger, type Ledger, post, sumPostings } from "../domain/ledger/Ledger.ts"
export {
  accrualId,
  creditId,
  payoutMovementId,
  signedMovementId,
  sponsorMovementId
} from "../domain/ledger/LedgerIds.ts"
export { type LedgerReason, ledgerReasons, LedgerRefused } from "../domain/ledger/LedgerRefused.ts"
export { MicroUsdc, microUsdcCeil, zeroMicroUsdc } from "../domain/ledger/MicroUsdc.ts"
export {
  type PayoutDomain,
  payoutDomainName,
  payoutId,
  PayoutKind,
  type PayoutRequest,
  payoutTypes
} from "../domain/ledger/Payout.ts"
export { type PayoutReason, payoutReasons, PayoutRefused } from "../domain/ledger/PayoutRefused.ts"
export { settleDigest, type SettleRequest, settleType } from "../domain/ledger/SettleAppFees.ts"
/** Constructors of ledger transactions: `Movements.hold`, `Movements.capture`, `Movements.release`, … */
export * as Movements from "../domain/ledger/Movements.ts"
export {
  currencyKey,
  LedgerCurrency,
  LedgerId,
  Posting,
  sameTransaction,
  transaction as ledgerTransaction,
  Transaction as LedgerTransaction,
  TransactionKind
} from "../domain/ledger/Transaction.ts"
