/** What a wallet of an EVM chain signs (STEP-6). A shape only: the adapter builds it, and the family's `stepVerifier` checks it. */
import * as Schema from "effect/Schema"

/** An EVM transaction ready for a wallet. Every quantity is a decimal string. */
export const EvmTransactionData = Schema.Struct({
  from: Schema.String,
  to: Schema.String,
  data: Schema.String,
  value: Schema.String,
  chainId: Schema.Int,
  gas: Schema.String,
  maxFeePerGas: Schema.String,
  maxPriorityFeePerGas: Schema.String
}).annotate({ description: "ethereum-vm" })
export type EvmTransactionData = typeof EvmTransactionData.Type
