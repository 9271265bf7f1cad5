/** Steps of a quote (spec/1 §2.3, spec/3 §3): what the user executes, in order. Items of one step are of one kind. */
import * as Schema from "effect/Schema"

export const Check = Schema.Struct({ endpoint: Schema.String, method: Schema.Literal("GET") })

/** An EVM transaction ready for a wallet; every quantity is a decimal string. */
export const EvmTransactionData = Schema.Struct({
  from: Schema.String,
  to: Schema.String,
  data: Schema.String,
  value: Schema.String,
  chainId: Schema.Int,
  gas: Schema.String,
  maxFeePerGas: Schema.String,
  maxPriorityFeePerGas: Schema.String
})
export type EvmTransactionData = typeof EvmTransactionData.Type

export const Item = Schema.Struct({
  status: Schema.Literals(["incomplete", "complete"]),
  data: EvmTransactionData,
  check: Schema.optionalKey(Check)
})

export const Step = Schema.Struct({
  id: Schema.Literals(["approve", "deposit", "authorize", "authorize1", "swap", "send"]),
  action: Schema.String,
  description: Schema.String,
  kind: Schema.Literals(["transaction", "signature"]),
  requestId: Schema.String,
  items: Schema.Array(Item)
})
export type Step = typeof Step.Type
