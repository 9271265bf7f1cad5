/**
 * The answers of a Tron node's HTTP API, decoded once at the edge. Pure, total.
 *
 * Only a transaction's `raw_data` counts, as the bytes whose hash is its id. The other fields are ignored, except its
 * result. Nodes leave out numbers that are zero.
 */
import { hexToBytes as bytesOf } from "@noble/hashes/utils.js"
import { Schema } from "effect"

const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
/** The hash of a block or a transaction, without 0x. */
export const Hash = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))

/** Hex digits. No transaction is longer than 500 KiB. */
const MOST_HEX = 2_000_000
const HexBytes = Schema.String.check(Schema.isMaxLength(MOST_HEX).abort(), Schema.isPattern(/^(?:[0-9a-fA-F]{2})*$/))

/** Times in milliseconds. */
export const RawHeader = Schema.Struct({
  blockID: Hash,
  block_header: Schema.Struct({
    raw_data: Schema.Struct({ number: Schema.optionalKey(Count), timestamp: Schema.optionalKey(Count) })
  })
})

export const RawTransaction = Schema.Struct({
  txID: Hash,
  raw_data_hex: HexBytes,
  ret: Schema.optionalKey(Schema.Array(Schema.Struct({ contractRet: Schema.optionalKey(Schema.String) })))
})
export type RawTransaction = typeof RawTransaction.Type

/** A block with its transactions. */
export const RawBlock = Schema.Struct({
  blockID: Hash,
  block_header: Schema.Struct({ raw_data: Schema.Struct({ parentHash: Hash }) }),
  transactions: Schema.optionalKey(Schema.Array(Schema.Struct({ txID: Hash, raw_data_hex: HexBytes })))
})

/** A constant call that succeeded. A reverted call has a message. */
export const ConstantCall = Schema.Struct({
  result: Schema.Struct({ result: Schema.Literal(true), message: Schema.optionalKey(Schema.Never) }),
  constant_result: Schema.Tuple([Schema.String.check(Schema.isPattern(/^[0-9a-fA-F]{64}$/))])
})

/** How nodes report a missing item. */
export const isNothing = (answer: unknown): boolean =>
  typeof answer === "object" && answer !== null && !Array.isArray(answer) && Object.keys(answer).length === 0

/** Only for text that was checked to be hex. */
export const bytesOfHex = (text: string): Uint8Array => bytesOf(text)
