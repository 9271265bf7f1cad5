/** The answers of ledger nodes, decoded. Additional fields are ignored. */
import { Schema } from "effect"
import { Transfer } from "../ledger/Transfer.ts"

const Place = Schema.Struct({
  height: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  hash: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)),
  /** Whole seconds. */
  time: Schema.Int
})
export type Place = typeof Place.Type

const heads = { head: Place, final: Place }

export const Record = Schema.Struct({
  id: Schema.String,
  transfer: Transfer,
  signature: Schema.String,
  block: Place,
  succeeded: Schema.Boolean,
  feePaid: Schema.BigIntFromString
})
export type Record = typeof Record.Type

export const LedgerAnswer = Schema.Struct({
  ...heads,
  genesis: Schema.String,
  fee: Schema.BigIntFromString,
  currencies: Schema.Array(Schema.Struct({ address: Schema.String, decimals: Schema.Int }))
})

export const BlockAnswer = Schema.Struct({ ...heads, block: Schema.optionalKey(Place) })

export const TransferAnswer = Schema.Struct({
  ...heads,
  transfer: Schema.optionalKey(Record),
  pooled: Schema.optionalKey(Schema.Boolean)
})
export type TransferAnswer = typeof TransferAnswer.Type

export const AccountAnswer = Schema.Struct({
  ...heads,
  sequence: Schema.BigIntFromString,
  finalSequence: Schema.BigIntFromString,
  pendingSequence: Schema.BigIntFromString,
  isClosed: Schema.Boolean,
  balances: Schema.Record(Schema.String, Schema.BigIntFromString)
})
export type AccountAnswer = typeof AccountAnswer.Type

export const HistoryAnswer = Schema.Struct({
  ...heads,
  /** The hash of the requested block. Null when the chain is not that high. */
  known: Schema.NullOr(Schema.String),
  /** The last place of the list. */
  upTo: Place,
  transfers: Schema.Array(Record)
})
export type HistoryAnswer = typeof HistoryAnswer.Type

export const RefusedAnswer = Schema.Struct({ error: Schema.String })
