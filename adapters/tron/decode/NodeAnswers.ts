/**
 * What a Tron node's HTTP API answers, decoded once at the edge. Pure, total.
 *
 * Of a transaction only its `raw_data` counts, in the bytes that its id is the hash of; the fields that are told beside
 * them are not looked at, but for how it went. Numbers that are zero are left out by the nodes.
 */
import { hexToBytes as bytesOf } from "@noble/hashes/utils.js"
import { Schema } from "effect"

const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
/** A block's or a transaction's, without 0x. */
export const Hash = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))

/** No transaction is longer than 500 KiB. */
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

/** A constant call that went through; one that was reverted has a message. */
export const ConstantCall = Schema.Struct({
  result: Schema.Struct({ result: Schema.Literal(true), message: Schema.optionalKey(Schema.Never) }),
  constant_result: Schema.Tuple([Schema.String.check(Schema.isPattern(/^[0-9a-fA-F]{64}$/))])
})

/** How nodes say that there is no such thing. */
export const isNothing = (answer: unknown): boolean =>
  typeof answer === "object" && answer !== null && !Array.isArray(answer) && Object.keys(answer).length === 0

/** Only of text that has been checked to be hex. */
export const bytesOfHex = (text: string): Uint8Array => bytesOf(text)
