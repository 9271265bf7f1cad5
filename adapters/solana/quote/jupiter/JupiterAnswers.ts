/**
 * The answers of a server with the Jupiter swap interface, decoded once at the edge. Only the members that are used.
 */
import { Result, Schema } from "effect"
import { Address } from "../../../../src/domain/chain/Address.ts"
import { solanaAddresses } from "../../../../src/domain/families/solana/SolanaAddresses.ts"

const U64 = Schema.BigIntFromString.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: (1n << 64n) - 1n }))

const Key = Address.check(
  Schema.makeFilter((text) => Result.isSuccess(solanaAddresses.toBytes(text)), { title: "base58 of 32 bytes" })
)

/** More hops, accounts and instructions than any transaction holds. */
const MOST = 64

const listOf = <Element extends Schema.Top>(element: Element, most = MOST) =>
  Schema.Array(element).check(Schema.isMaxLength(most))

export const QuoteAnswer = Schema.Struct({
  inputMint: Key,
  inAmount: U64,
  outputMint: Key,
  outAmount: U64,
  otherAmountThreshold: U64,
  swapMode: Schema.Literals(["ExactIn", "ExactOut"]),
  slippageBps: Schema.Int,
  platformFee: Schema.optionalKey(Schema.NullOr(Schema.Struct({ amount: Schema.optionalKey(U64) }))),
  routePlan: listOf(Schema.Struct({ swapInfo: Schema.Struct({ inputMint: Key, outputMint: Key }) })).check(
    Schema.isMinLength(1)
  )
})
export type QuoteAnswer = typeof QuoteAnswer.Type

/** Base64 of no more than a transaction holds. */
const Data = Schema.String.check(
  Schema.isMaxLength(2_048),
  Schema.isPattern(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)
)

export const AnsweredInstruction = Schema.Struct({
  programId: Key,
  accounts: listOf(Schema.Struct({ pubkey: Key, isSigner: Schema.Boolean, isWritable: Schema.Boolean }), 256),
  data: Data
})
export type AnsweredInstruction = typeof AnsweredInstruction.Type

const none = Schema.optionalKey(Schema.NullOr(Schema.Unknown))

export const InstructionsAnswer = Schema.Struct({
  setupInstructions: listOf(AnsweredInstruction),
  swapInstruction: AnsweredInstruction,
  cleanupInstruction: Schema.optionalKey(Schema.NullOr(AnsweredInstruction)),
  otherInstructions: Schema.optionalKey(listOf(Schema.Unknown)),
  tokenLedgerInstruction: none,
  addressLookupTableAddresses: listOf(Key, 8)
})
export type InstructionsAnswer = typeof InstructionsAnswer.Type
