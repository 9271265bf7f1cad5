/**
 * What nodes answer about payments, decoded once at the edge. Pure, total. Nodes leave out what is zero or empty.
 */
import { Result, Schema } from "effect"
import { ethereumAddresses } from "../../../src/domain/families/ethereum/EthereumAddresses.ts"
import type { EvmLog } from "../../../src/domain/families/ethereum/evidence/EvmTransaction.ts"
import { Hex } from "../../../src/domain/encoding/Hex.ts"
import { Hash, RawHeader, RawTransaction } from "./NodeAnswers.ts"

const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
const Digits = Schema.String.check(Schema.isPattern(/^(?:[0-9a-f]{2})*$/))

/** A log: the account has 40 digits here, without 41. */
export const RawLog = Schema.Struct({
  address: Schema.String.check(Schema.isPattern(/^[0-9a-f]{40}$/)),
  topics: Schema.optionalKey(Schema.Array(Hash)),
  data: Schema.optionalKey(Digits)
})

/** The fee in sun is everything that the transaction took besides its value. */
export const RawInfo = Schema.Struct({
  id: Hash,
  blockNumber: Count,
  fee: Schema.optionalKey(Count),
  result: Schema.optionalKey(Schema.String),
  receipt: Schema.optionalKey(Schema.Struct({ result: Schema.optionalKey(Schema.String) })),
  log: Schema.optionalKey(Schema.Array(RawLog))
})
export type RawInfo = typeof RawInfo.Type

/** Whom a transaction may have paid. Inner transfers, with accounts in 42 digits, only where the node keeps them. */
export const RawTouching = Schema.Struct({
  id: Hash,
  log: Schema.optionalKey(Schema.Array(RawLog)),
  internal_transactions: Schema.optionalKey(Schema.Array(Schema.Struct({
    caller_address: Schema.optionalKey(Schema.String),
    transferTo_address: Schema.optionalKey(Schema.String)
  })))
})

/** `code` is absent from an acceptance, or SUCCESS. */
export const RawBroadcast = Schema.Struct({
  result: Schema.optionalKey(Schema.Boolean),
  code: Schema.optionalKey(Schema.String),
  message: Schema.optionalKey(Schema.String)
})
export type RawBroadcast = typeof RawBroadcast.Type

/** A transaction with its signatures, which are those of anybody. */
export const RawSigned = Schema.Struct({
  ...RawTransaction.fields,
  signature: Schema.optionalKey(Schema.Array(Schema.String))
})
export type RawSigned = typeof RawSigned.Type

/** Blocks with their transactions. */
export const RawBlocks = Schema.Struct({
  block: Schema.optionalKey(
    Schema.Array(Schema.Struct({ ...RawHeader.fields, transactions: Schema.optionalKey(Schema.Array(RawSigned)) }))
  )
})

/** A node's words, or the hex of them. */
export const wordsOf = (message = ""): string =>
  /^(?:[0-9a-f]{2})+$/.test(message) ? Buffer.from(message, "hex").toString("utf8") : message

/** In the order of the transaction. */
export const logsIn = (logs: ReadonlyArray<typeof RawLog.Type> = []): ReadonlyArray<EvmLog> =>
  logs.flatMap(({ address, data = "", topics = [] }, logIndex) => {
    const account = ethereumAddresses.parse(`0x${address}`)
    return Result.isFailure(account) ? [] : [{
      address: account.success,
      topics: topics.map((topic) => `0x${topic}`),
      data: Hex.make(`0x${data}`),
      logIndex
    }]
  })
