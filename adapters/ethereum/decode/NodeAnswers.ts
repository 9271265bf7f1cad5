/**
 * The answers of an EVM node, decoded once at the edge: transactions and blocks in JSON-RPC's form. Pure, total.
 *
 * Only the members that evidence needs are decoded. Anything that is not exactly of this form does not decode.
 */
import { Schema } from "effect"
import { EthereumAddress } from "../../../src/domain/chain/Address.ts"
import { Hex32FromString, HexFromString } from "../../../src/domain/encoding/Hex.ts"
import { Count, Quantity } from "../../quorum/rpc/EvmReceipt.ts"

export const RawTransaction = Schema.Struct({
  hash: Hex32FromString,
  from: EthereumAddress,
  to: Schema.NullOr(EthereumAddress),
  input: HexFromString,
  value: Quantity
})
export type RawTransaction = typeof RawTransaction.Type

export const RawBlock = Schema.Struct({ hash: Hex32FromString, number: Quantity, timestamp: Count })
export type RawBlock = typeof RawBlock.Type
