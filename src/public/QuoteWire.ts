/** Quotes as they travel: the exact JSON shapes of the contract as schemas (QUOTE-1, STEP-1). */
export { WireDetails } from "../domain/quote/wire/Details.ts"
export {
  ActualSponsorship,
  QuotedSponsorship,
  WireFeeSponsorship,
  WireShare
} from "../domain/quote/wire/FeeSponsorship.ts"
export { Quote, WireFees, WireProtocol } from "../domain/quote/wire/Quote.ts"
export { SignatureData } from "../domain/quote/wire/SignatureData.ts"
export {
  Check as StepCheck,
  SignatureItem,
  SignatureStep,
  Step,
  TransactionItem,
  TransactionStep
} from "../domain/quote/wire/Step.ts"
export { BitcoinTransactionData } from "../domain/families/bitcoin/BitcoinTransactionData.ts"
export { EvmTransactionData } from "../domain/families/ethereum/EvmTransactionData.ts"
export { ExchangeATransactionData } from "../domain/families/exchange-a/ExchangeATransactionData.ts"
export { ExchangeBTransactionData } from "../domain/families/exchange-b/ExchangeBTransactionData.ts"
export { SolanaTransactionData } from "../domain/families/solana/SolanaTransactionData.ts"
export { TransactionData } from "../domain/families/TransactionData.ts"
export { TronCallData, TronTransferData } from "../domain/families/tron/TronTransactionData.ts"
export { WireAmount, wireAmount, WireCurrency, wireCurrency } from "../domain/quote/wire/WireAmount.ts"
