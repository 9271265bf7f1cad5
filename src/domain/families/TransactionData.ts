/**
 * What a transaction item asks a wallet to send: the shapes of the six families, and the one of all others (STEP-6). A
 * family outside of the six needs no line here.
 */
import * as Schema from "effect/Schema"
import { BitcoinTransactionData } from "./bitcoin/BitcoinTransactionData.ts"
import { EvmTransactionData } from "./ethereum/EvmTransactionData.ts"
import { ExchangeATransactionData } from "./exchange-a/ExchangeATransactionData.ts"
import { ExchangeBTransactionData } from "./exchange-b/ExchangeBTransactionData.ts"
import { SolanaTransactionData } from "./solana/SolanaTransactionData.ts"
import { TronCallData, TronTransferData } from "./tron/TronTransactionData.ts"

/** What a wallet signs on a chain of an additional family, in the family's own format. */
export const OtherTransactionData = Schema.Struct({
  vmType: Schema.NonEmptyString.annotate({ description: "the family's own name" }),
  transaction: Schema.Record(Schema.String, Schema.Json)
}).annotate({ description: "any other family" })
export type OtherTransactionData = typeof OtherTransactionData.Type

/** What a transaction item asks a wallet to send, in its family's form. */
export const TransactionData = Schema.Union([
  EvmTransactionData,
  SolanaTransactionData,
  BitcoinTransactionData,
  TronCallData,
  TronTransferData,
  ExchangeATransactionData,
  ExchangeBTransactionData,
  OtherTransactionData
])
export type TransactionData = typeof TransactionData.Type

/** Distinguishes the two exchanges' data, whose shapes overlap. */
export const isExchangeBData = (data: TransactionData): data is ExchangeBTransactionData =>
  "action" in data && data.action.type === "transfer"
