/**
 * Receipts and logs from nodes of EVM-like chains (Ethereum's, and Tron's at `/jsonrpc`), decoded once at the edge.
 * Pure, total. Only the members that evidence needs are decoded. Anything that is not exactly of this form does not
 * decode.
 */
import { Schema, SchemaTransformation } from "effect"
import { EthereumAddress } from "../../../src/domain/chain/Address.ts"
import { Hex32FromString, HexFromString } from "../../../src/domain/encoding/Hex.ts"

/** A quantity in hex. The standard forbids leading zeros, but some nodes send them. */
export const Quantity = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{1,64}$/)).pipe(
  Schema.decodeTo(
    Schema.BigInt,
    SchemaTransformation.transform({ decode: (text) => BigInt(text), encode: (value) => `0x${value.toString(16)}` })
  )
)

/** A quantity that counts: log indices, times. */
export const Count = Quantity.pipe(
  Schema.decodeTo(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    SchemaTransformation.transform({ decode: (value) => Number(value), encode: (value) => BigInt(value) })
  )
)

const RawLog = Schema.Struct({
  address: EthereumAddress,
  topics: Schema.Array(Hex32FromString),
  data: HexFromString,
  logIndex: Count,
  transactionHash: Hex32FromString
})

export const RawReceipt = Schema.Struct({
  transactionHash: Hex32FromString,
  blockHash: Hex32FromString,
  blockNumber: Quantity,
  status: Schema.Literals(["0x0", "0x1"]),
  logs: Schema.Array(RawLog)
})
export type RawReceipt = typeof RawReceipt.Type

/** `hash`: 0x and 64 lower-case hex digits. SECURITY: a log of another transaction would be another deposit. */
export const isReceiptOf = (hash: string, { logs, transactionHash }: RawReceipt): boolean =>
  transactionHash === hash && logs.every((log) => log.transactionHash === transactionHash)
