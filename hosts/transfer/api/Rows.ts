/** Rows that several endpoints answer with: a transaction of a transfer, and a refund leg (spec/3 §6, §10). */
import { Schema } from "effect"
import { FailReason } from "../../../src/domain/transfer/FailReason.ts"

export const TransactionRow = Schema.Struct({
  hash: Schema.String,
  chainId: Schema.Int,
  block: Schema.NullOr(Schema.Int.annotate({ description: "height; null while the transaction is in no block" })),
  timestamp: Schema.NullOr(Schema.Int.annotate({ description: "of the block, seconds" })),
  fee: Schema.NullOr(
    Schema.String.annotate({ description: "what the transaction cost its sender, smallest unit of the chain's native currency; null when it was not recorded" })
  )
}).annotate({ identifier: "Transaction" })
export type TransactionRow = typeof TransactionRow.Type

export const RefundRow = Schema.Struct({
  state: Schema.Literals(["submitted", "paid", "failed", "recorded"]).annotate({
    description: "`recorded`: not worth its gas, kept on record"
  }),
  reason: FailReason,
  chainId: Schema.Int,
  currency: Schema.String,
  amount: Schema.String.annotate({ description: "what was deposited, smallest unit" }),
  refunded: Schema.NullOr(Schema.String.annotate({ description: "what is sent back, smallest unit: the deposit less the refund's gas" })),
  recipient: Schema.NullOr(Schema.String),
  inTxHash: Schema.String.annotate({ description: "the deposit that goes back" }),
  txHash: Schema.NullOr(Schema.String.annotate({ description: "the refund" }))
}).annotate({ identifier: "Refund" })
export type RefundRow = typeof RefundRow.Type
