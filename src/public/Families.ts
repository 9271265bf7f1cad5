/** What a VM family of one's own is made of: its rules, and what its observers and ports are written in. */
export { NO_ANSWER, NO_TOKEN } from "../domain/configuration/Expectation.ts"
export type { Ask, Expectation, Purpose } from "../domain/configuration/Expectation.ts"
export type { ConfiguredChain } from "../domain/chain/ConfiguredChain.ts"
export { keepsNoPayment } from "../domain/chain/Chain.ts"
export { protocolAccounts } from "../domain/chain/ProtocolAccounts.ts"
export { hexTransactionIds, type TransactionIdRules } from "../domain/chain/TransactionId.ts"
export { recoverDigest, signDigest, textDigest } from "../domain/encoding/Signature.ts"
export type { UserPayment } from "../domain/transfer/payment/UserPayment.ts"
