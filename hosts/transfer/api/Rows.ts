/** Rows that several endpoints return: a transaction of a transfer, a refund, a fallback (STATUS-6, HISTORY-3). */
import { Schema } from "effect"
import { FailReason } from "../../../src/domain/transfer/FailReason.ts"

export const TransactionRow = Schema.Struct({
  hash: Schema.String,
  chainId: Schema.Int,
  block: Schema.NullOr(Schema.Int.annotate({ description: "height; null while the transaction is in no block" })),
  timestamp: Schema.NullOr(Schema.Int.annotate({ description: "of the block, seconds" })),
  fee: Schema.NullOr(
    Schema.String.annotate({
      description:
        "what the transaction cost its sender, smallest unit of the chain's native currency; null when it was not recorded"
    })
  )
}).annotate({ identifier: "Transaction" })
export type TransactionRow = typeof TransactionRow.Type

export const RefundRow = Schema.Struct({
  kind: Schema.optionalKey(
    Schema.Literal("excess").annotate({
      description:
        "what a filled deposit at a strict address had above the quoted amount; absent when all of a deposit goes back"
    })
  ),
  state: Schema.Literals(["submitted", "paid", "failed", "held", "recorded"]).annotate({
    description:
      "`recorded`: not worth its gas, kept on record; `held`: held back by UNATTESTED_REFUNDS_USD until there is room or an operator decides"
  }),
  reason: Schema.Union([FailReason, Schema.Literal("N/A")]).annotate({
    description: "why it was not filled; `N/A` for an excess"
  }),
  chainId: Schema.Int,
  currency: Schema.String,
  amount: Schema.String.annotate({ description: "what was deposited, or the excess of it, smallest unit" }),
  refunded: Schema.NullOr(
    Schema.String.annotate({ description: "what is sent back, smallest unit: that less the refund's gas" })
  ),
  recipient: Schema.NullOr(Schema.String),
  inTxHash: Schema.String.annotate({ description: "the deposit that goes back" }),
  txHash: Schema.NullOr(Schema.String.annotate({ description: "the refund" }))
}).annotate({ identifier: "Refund" })
export type RefundRow = typeof RefundRow.Type

export const FallbackRow = Schema.Struct({
  state: Schema.Literals(["submitted", "paid", "failed"]).annotate({
    description: "`failed`: it could not be carried out either, and the deposit goes back"
  }),
  reason: FailReason.annotate({ description: "why the fill could not be made" }),
  chainId: Schema.Int,
  currency: Schema.String.annotate({
    description: "the bridged currency: details.route.destination.inputCurrency of the quote"
  }),
  amount: Schema.String.annotate({ description: "smallest unit" }),
  recipient: Schema.String,
  txHash: Schema.String
}).annotate({
  identifier: "Fallback",
  description:
    "with useFallbacks: what the recipient gets instead of the output, because the swap on the destination could not be made"
})
export type FallbackRow = typeof FallbackRow.Type

export const SettlementRow = Schema.Struct({
  inTxHash: Schema.String.annotate({ description: "the deposit" }),
  state: Schema.Literals(["open", "submitted", "settled", "refused", "excluded"]).annotate({
    description:
      "`excluded`: it was answered by what is no fill or refund of its order; `refused`: an operator has to look"
  }),
  reason: Schema.NullOr(
    Schema.String.annotate({ description: "why it is refused, or what it waits for; null when nothing keeps it" })
  ),
  txHash: Schema.NullOr(
    Schema.String.annotate({
      description:
        "this service's last transaction for it on the hub; null when there is none, or somebody else was first"
    })
  )
}).annotate({ identifier: "Settlement" })
export type SettlementRow = typeof SettlementRow.Type
