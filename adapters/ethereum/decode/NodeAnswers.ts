/**
 * The answers of an EVM node, decoded once at the edge: transactions and blocks in JSON-RPC's form. Pure, total.
 *
 * Only the members that evidence needs are decoded. Anything that is not exactly of this form does not decode.
 */
import { Effect, Schema } from "effect"
import { EthereumAddress } from "../../../src/domain/chain/Address.ts"
import { Hex32FromString, HexFromString } from "../../../src/domain/encoding/Hex.ts"
import { Count, Quantity } from "../../quorum/rpc/EvmReceipt.ts"

/**
 * Transactions with a list of calls (EIP-8130) have no `to`, `input` and `value` of their own. They then call nothing
 * and carry nothing (EVM-12). What they move is in the receipt's logs.
 */
export const RawTransaction = Schema.Struct({
  hash: Hex32FromString,
  from: EthereumAddress,
  to: Schema.NullOr(EthereumAddress).pipe(Schema.withDecodingDefault(Effect.succeed(null))),
  input: HexFromString.pipe(Schema.withDecodingDefault(Effect.succeed("0x"))),
  value: Quantity.pipe(Schema.withDecodingDefault(Effect.succeed("0x0")))
})
export type RawTransaction = typeof RawTransaction.Type

export const RawBlock = Schema.Struct({ hash: Hex32FromString, number: Quantity, timestamp: Count })
export type RawBlock = typeof RawBlock.Type
