/** The stored form of blocks and transactions: also the form of a node's answers, and of the state file. */
import { Schema } from "effect"

const Amount = Schema.Struct({
  amount: Schema.String,
  decimals: Schema.Int,
  uiAmount: Schema.NullOr(Schema.Finite),
  uiAmountString: Schema.String
})

const TokenBalance = Schema.Struct({
  accountIndex: Schema.Int,
  mint: Schema.String,
  owner: Schema.String,
  programId: Schema.String,
  uiTokenAmount: Amount
})
export type TokenBalance = typeof TokenBalance.Type

const Inner = Schema.Struct({
  index: Schema.Int,
  instructions: Schema.Array(Schema.Struct({
    programIdIndex: Schema.Int,
    accounts: Schema.Array(Schema.Int),
    data: Schema.String,
    stackHeight: Schema.Int
  }))
})

/** Lamports are strings in the state file, because they go beyond 2^53. */
const Lamports = Schema.BigIntFromString

const Meta = Schema.Struct({
  err: Schema.Unknown,
  fee: Lamports,
  preBalances: Schema.Array(Lamports),
  postBalances: Schema.Array(Lamports),
  preTokenBalances: Schema.Array(TokenBalance),
  postTokenBalances: Schema.Array(TokenBalance),
  innerInstructions: Schema.Array(Inner),
  logMessages: Schema.Array(Schema.String),
  loadedAddresses: Schema.Struct({ writable: Schema.Array(Schema.String), readonly: Schema.Array(Schema.String) }),
  computeUnitsConsumed: Lamports,
  returnData: Schema.optionalKey(
    Schema.Struct({ programId: Schema.String, data: Schema.Tuple([Schema.String, Schema.Literal("base64")]) })
  )
})
export type Meta = typeof Meta.Type

/** A transaction that was executed: successful, or failed and charged. */
export const TransactionRecord = Schema.Struct({
  signature: Schema.String,
  slot: Schema.Int,
  blockTime: Schema.Int,
  version: Schema.Literals(["legacy", 0, 1]),
  /** As it was sent, base64. */
  wire: Schema.String,
  /** Including those of lookup tables, in the order of the transaction's indices. */
  keys: Schema.Array(Schema.String),
  memo: Schema.NullOr(Schema.String),
  meta: Meta
})
export type TransactionRecord = typeof TransactionRecord.Type

/** The current slot, in which transactions land. */
export const OpenBlock = Schema.Struct({
  slot: Schema.Int,
  parentSlot: Schema.Int,
  /** The number of blocks before it: skipped slots do not count. */
  height: Schema.Int,
  time: Schema.Int,
  signatures: Schema.Array(Schema.String)
})
export type OpenBlock = typeof OpenBlock.Type

export const Block = Schema.Struct({ ...OpenBlock.fields, hash: Schema.String, parentHash: Schema.String })
export type Block = typeof Block.Type
