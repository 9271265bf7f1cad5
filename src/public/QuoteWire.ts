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
export {
  BitcoinTransactionData,
  EvmTransactionData,
  ExchangeATransactionData,
  ExchangeBTransactionData,
  SolanaTransactionData,
  TransactionData,
  TronCallData,
  TronTransferData
} from "../domain/quote/wire/TransactionData.ts"
export { WireAmount, wireAmount, WireCurrency, wireCurrency } from "../domain/quote/wire/WireAmount.ts"
