/**
 * What nodes of EVM-like chains (Ethereum's, and Tron's at `/jsonrpc`) answer for a receipt and its log, decoded once
 * at the edge: pure, total. Only the members that evidence is made of are looked at; what is not exactly one of these
 * is no answer.
 */
import { Schema, SchemaTransformation } from "effect"
import { EthereumAddress } from "../../../src/domain/chain/Address.ts"
import { Hex32FromString, HexFromString } from "../../../src/domain/encoding/Hex.ts"

/** A quantity in hex: without leading zeros by the standard, with them from some nodes. */
export const Quantity = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{1,64}$/)).pipe(
  Schema.decodeTo(
    Schema.BigInt,
    SchemaTransformation.transform({ decode: (text) => BigInt(text), encode: (value) => `0x${value.toString(16)}` })
  )
)

/** A quantity that is counted: log indices, times. */
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

/** `hash`: 0x and 64 lower-case hex digits. SECURITY: a log of another transaction would be another's deposit. */
export const isReceiptOf = (hash: string, { logs, transactionHash }: RawReceipt): boolean =>
  transactionHash === hash && logs.every((log) => log.transactionHash === transactionHash)
