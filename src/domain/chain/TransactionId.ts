/**
 * Transaction ids of the six families, made canonical before anything is hashed (PROTO-2).
 *
 * Guarantee: two spellings of one id (case, 0x prefix, surrounding spaces) give one value, so they never give two
 * idempotency keys. Text that is not an id of the family is an error.
 */
import { hexToBytes } from "@noble/hashes/utils.js"
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { base58Bytes } from "../families/Base58.ts"
import { FamilyName } from "./VmFamily.ts"

/** A transaction id in the canonical spelling of its family. */
export const TransactionId = Schema.NonEmptyString.check(Schema.isMaxLength(128)).pipe(Schema.brand("TransactionId"))

export type TransactionId = typeof TransactionId.Type

/** The text is not a transaction id of the family. `input` is cut to 128 characters. */
export class InvalidTransactionId extends Schema.TaggedError<InvalidTransactionId>()("InvalidTransactionId", {
  family: FamilyName,
  input: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `no ${this.family} transaction id: ${this.reason}`
  }
}

const make = Brand.nominal<TransactionId>()

/** A transaction id in its canonical spelling, with its bytes in the protocol. */
export interface ParsedTransactionId {
  readonly id: TransactionId
  readonly bytes: Uint8Array
}

/** How a family writes transaction ids. */
export interface TransactionIdRules {
  /** Undefined when the text is not an id. */
  readonly read: (text: string) => ParsedTransactionId | undefined
  /** The error text for such a text. */
  readonly expected: string
}

interface TransactionIdFamily {
  readonly name: FamilyName
  readonly transactionIds: TransactionIdRules
}

/** Ids of hex digits. `pattern` matches every accepted spelling; `prefix` starts the canonical one. */
export const hexTransactionIds = (pattern: RegExp, prefix: "0x" | "", expected: string): TransactionIdRules => ({
  expected,
  read: (text) => {
    const digits = pattern.exec(text)?.[1]?.toLowerCase()
    return digits === undefined ? undefined : { id: make(prefix + digits), bytes: hexToBytes(digits) }
  }
})

/** 32 bytes of hex, with or without 0x. */
export const hex64: RegExp = /^(?:0[xX])?([0-9a-fA-F]{64})$/

/** Ids of base58. Given bytes have one spelling. */
export const base58TransactionIds = (length: number): TransactionIdRules => ({
  expected: `not base58 of ${length} bytes`,
  read: (text) => {
    const bytes = base58Bytes(text, length)
    return bytes === undefined ? undefined : { id: make(text), bytes }
  }
})

const parse = (
  { name, transactionIds }: TransactionIdFamily,
  text: string
): Result.Result<ParsedTransactionId, InvalidTransactionId> => {
  const parsed = text.length > 512 ? undefined : transactionIds.read(text.trim())
  return parsed === undefined
    ? Result.fail(
      new InvalidTransactionId({ family: name, input: text.slice(0, 128), reason: transactionIds.expected })
    )
    : Result.succeed(parsed)
}

/** Makes any accepted spelling of a transaction id canonical. */
export const parseTransactionId = (
  family: TransactionIdFamily,
  text: string
): Result.Result<TransactionId, InvalidTransactionId> => Result.map(parse(family, text), ({ id }) => id)

/** The protocol's bytes of a transaction id in any accepted spelling. */
export const transactionIdToBytes = (
  family: TransactionIdFamily,
  text: string
): Result.Result<Uint8Array, InvalidTransactionId> => Result.map(parse(family, text), ({ bytes }) => bytes)
