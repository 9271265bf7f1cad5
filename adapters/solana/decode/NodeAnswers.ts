/**
 * The answers of a Solana node, decoded once at the edge: transactions, blocks and accounts in JSON-RPC's form. Pure,
 * total.
 *
 * Only the members that evidence needs are decoded. SECURITY: an answer without balances or inner instructions does not
 * decode: without them a deposit would get another amount or another place. Lists that are longer than any
 * transaction's are refused by their length, before their elements are read.
 */
import { Schema, SchemaTransformation } from "effect"
import { base64 } from "@scure/base"
import { solanaAddresses } from "../../../src/domain/families/solana/SolanaAddresses.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { Result } from "effect"
import { Count, InU64, U64 } from "../../quorum/rpc/ExactJson.ts"
import { MOST_DATA_TEXT } from "./InstructionData.ts"

const isAddress = (text: string): boolean => Result.isSuccess(solanaAddresses.toBytes(text))
const addressText = Schema.makeFilter(isAddress, { title: "base58 of 32 bytes" })
const SolanaAddress = Address.check(addressText)
const Mint = CurrencyAddress.check(addressText)

/** A hash has the form of an address. */
const Hash = Schema.String.check(addressText)

/** A 64-bit number as decimal digits. */
const U64Text = Schema.String.check(Schema.isPattern(/^\d{1,20}$/)).pipe(
  Schema.decodeTo(
    InU64,
    SchemaTransformation.transform({ decode: (text) => BigInt(text), encode: (value) => `${value}` })
  )
)

const Index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))

/** An instruction refers to an account by one byte. */
const MOST_ACCOUNTS = 256
/** Four times what a cluster executes in one transaction. */
export const MOST_INSTRUCTIONS = 256
/** For a transaction (1,232 bytes today) and for an account (9 bytes are read). */
const MOST_BASE64 = 16_384

/** A list of at most this length, checked before any element is decoded. */
const listOf = <Element extends Schema.Top>(element: Element, most: number) =>
  Schema.Unknown.check(Schema.makeFilter((list) => Array.isArray(list) && list.length <= most)).pipe(
    Schema.decodeTo(Schema.Array(element), SchemaTransformation.passthrough({ strict: false }))
  )

const TokenBalance = Schema.Struct({
  accountIndex: Index,
  mint: Mint,
  owner: SolanaAddress,
  uiTokenAmount: Schema.Struct({ amount: U64Text })
})
export type TokenBalance = typeof TokenBalance.Type

const InnerInstruction = Schema.Struct({
  programIdIndex: Index,
  accounts: listOf(Index, MOST_ACCOUNTS),
  data: Schema.String.check(Schema.isMaxLength(MOST_DATA_TEXT))
})

const madeBy = (group: unknown): number =>
  typeof group === "object" && group !== null && "instructions" in group && Array.isArray(group.instructions)
    ? group.instructions.length
    : 0

/** Grouped by the top-level instruction that made them. Their total number is bounded. */
const InnerInstructions = Schema.Unknown.check(
  Schema.makeFilter((groups) =>
    Array.isArray(groups) && groups.length <= MOST_INSTRUCTIONS &&
    groups.reduce<number>((sum, group) => sum + madeBy(group), 0) <= MOST_INSTRUCTIONS
  )
).pipe(Schema.decodeTo(
  Schema.Array(Schema.Struct({ index: Index, instructions: Schema.Array(InnerInstruction) })),
  SchemaTransformation.passthrough({ strict: false })
))

const Meta = Schema.Struct({
  /** Null when the transaction succeeded. */
  err: Schema.Unknown,
  innerInstructions: InnerInstructions,
  preBalances: listOf(U64, MOST_ACCOUNTS),
  postBalances: listOf(U64, MOST_ACCOUNTS),
  preTokenBalances: listOf(TokenBalance, MOST_ACCOUNTS),
  postTokenBalances: listOf(TokenBalance, MOST_ACCOUNTS),
  loadedAddresses: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({ writable: listOf(SolanaAddress, MOST_ACCOUNTS), readonly: listOf(SolanaAddress, MOST_ACCOUNTS) })
    )
  )
})
export type Meta = typeof Meta.Type

const Base64 = Schema.String.check(
  Schema.isMaxLength(MOST_BASE64).abort(),
  Schema.isPattern(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)
)

export const RawTransaction = Schema.Struct({
  slot: Count,
  /** A node may not know it. Then nothing is attested from its answer. */
  blockTime: Count,
  transaction: Schema.Tuple([Base64, Schema.Literal("base64")]),
  meta: Meta
})
export type RawTransaction = typeof RawTransaction.Type

/** A block without its transactions. */
export const RawBlock = Schema.Struct({ blockhash: Hash, blockTime: Count })

export const Slot = Count

/** The bytes of an account, read at a slot. Null when there is none. */
export const RawAccount = Schema.Struct({
  context: Schema.Struct({ slot: Count }),
  value: Schema.NullOr(Schema.Struct({ owner: Hash, data: Schema.Tuple([Base64, Schema.Literal("base64")]) }))
})

/** Only for text that was checked to be base64. */
export const bytesOfBase64 = (text: string): Uint8Array => base64.decode(text)
