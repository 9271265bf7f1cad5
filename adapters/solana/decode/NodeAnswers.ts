/**
 * What a Solana node answers, decoded once at the edge: transactions, blocks and accounts as JSON-RPC has them. Pure, total.
 *
 * Only the members that evidence is made of are looked at. SECURITY: a node that leaves out balances or inner instructions
 * has answered nothing: without them a deposit would be worth something else, or have another place.
 */
import { Schema, SchemaTransformation } from "effect"
import { base64 } from "@scure/base"
import { solanaAddresses } from "../../../src/domain/chain/address/Solana.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { Result } from "effect"

const isAddress = (text: string): boolean => Result.isSuccess(solanaAddresses.toBytes(text))
const addressText = Schema.makeFilter(isAddress, { title: "base58 of 32 bytes" })
const SolanaAddress = Address.check(addressText)
const Mint = CurrencyAddress.check(addressText)

/** A hash has the form of an address. */
const Hash = Schema.String.check(addressText)

/** A number of 64 bits, as the parser gives it. */
const U64 = Schema.Union([Schema.Int, Schema.BigInt]).pipe(
  Schema.decodeTo(
    Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: (1n << 64n) - 1n })),
    SchemaTransformation.transform({ decode: (value: number | bigint) => BigInt(value), encode: (value: bigint): number | bigint => value })
  )
)

/** The same as decimal digits. */
const U64Text = Schema.String.check(Schema.isPattern(/^\d{1,20}$/)).pipe(
  Schema.decodeTo(
    Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: (1n << 64n) - 1n })),
    SchemaTransformation.transform({ decode: (text) => BigInt(text), encode: (value) => `${value}` })
  )
)

const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
const Index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))

const TokenBalance = Schema.Struct({ accountIndex: Index, mint: Mint, owner: SolanaAddress, uiTokenAmount: Schema.Struct({ amount: U64Text }) })
export type TokenBalance = typeof TokenBalance.Type

const InnerInstruction = Schema.Struct({ programIdIndex: Index, accounts: Schema.Array(Index), data: Schema.String })

const Meta = Schema.Struct({
  /** Null of what succeeded. */
  err: Schema.Unknown,
  innerInstructions: Schema.Array(Schema.Struct({ index: Index, instructions: Schema.Array(InnerInstruction) })),
  preBalances: Schema.Array(U64),
  postBalances: Schema.Array(U64),
  preTokenBalances: Schema.Array(TokenBalance),
  postTokenBalances: Schema.Array(TokenBalance),
  loadedAddresses: Schema.optionalKey(Schema.NullOr(Schema.Struct({ writable: Schema.Array(SolanaAddress), readonly: Schema.Array(SolanaAddress) })))
})
export type Meta = typeof Meta.Type

const Base64 = Schema.String.check(Schema.isPattern(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/))

export const RawTransaction = Schema.Struct({
  slot: Count,
  /** A node may not know it; then nothing is attested by it. */
  blockTime: Count,
  transaction: Schema.Tuple([Base64, Schema.Literal("base64")]),
  meta: Meta
})
export type RawTransaction = typeof RawTransaction.Type

/** A block without its transactions. */
export const RawBlock = Schema.Struct({ blockhash: Hash, blockTime: Count })

export const Slot = Count

/** The bytes of an account, read at a slot; null where there is none. */
export const RawAccount = Schema.Struct({
  context: Schema.Struct({ slot: Count }),
  value: Schema.NullOr(Schema.Struct({ owner: Hash, data: Schema.Tuple([Base64, Schema.Literal("base64")]) }))
})

/** Only of text that has been checked to be base64. */
export const bytesOfBase64 = (text: string): Uint8Array => base64.decode(text)
