/**
 * Transaction ids of the six families, canonical before anything is hashed (PROTO-2).
 *
 * Guarantee: two spellings of one id (case, 0x prefix, spaces around it) give one value, so they
 * never give two idempotency keys; what is no id of the family is an error.
 */
import { hexToBytes } from "@noble/hashes/utils.js"
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { base58Bytes } from "../families/Base58.ts"
import { VmFamily } from "./VmFamily.ts"

/** A transaction id in the canonical spelling of its family. */
export const TransactionId = Schema.NonEmptyString.check(Schema.isMaxLength(128)).pipe(Schema.brand("TransactionId"))

export type TransactionId = typeof TransactionId.Type

/** Text that is no transaction id of the family; `input` is cut to 128 characters. */
export class InvalidTransactionId extends Schema.TaggedError<InvalidTransactionId>()("InvalidTransactionId", {
  family: VmFamily,
  input: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `no ${this.family} transaction id: ${this.reason}`
  }
}

const make = Brand.nominal<TransactionId>()

const hex64 = /^(?:0[xX])?([0-9a-fA-F]{64})$/
/** Exchange B's hashes are of 32 to 64 bytes: the L1 message's has 32, the rollup's own has 40. */
const exchangeBHash = /^(?:0[xX])?((?:[0-9a-fA-F]{2}){32,64})$/

interface Parsed {
  readonly id: TransactionId
  readonly bytes: Uint8Array
}

const readHex = (pattern: RegExp, prefix: "0x" | "", text: string): Parsed | undefined => {
  const digits = pattern.exec(text)?.[1]?.toLowerCase()
  return digits === undefined ? undefined : { id: make(prefix + digits), bytes: hexToBytes(digits) }
}

const readBase58 = (text: string): Parsed | undefined => {
  const bytes = base58Bytes(text, 64)
  return bytes === undefined ? undefined : { id: make(text), bytes }
}

const read = (family: VmFamily, text: string): Parsed | undefined => {
  switch (family) {
    case "ethereum-vm":
    case "exchangea-vm":
      return readHex(hex64, "0x", text)
    case "tron-vm":
    case "bitcoin-vm":
      return readHex(hex64, "", text)
    case "exchangeb-vm":
      return readHex(exchangeBHash, "", text)
    case "solana-vm":
      return readBase58(text)
  }
}

const expected: { readonly [F in VmFamily]: string } = {
  "ethereum-vm": "not 64 hex digits",
  "exchangea-vm": "not 64 hex digits",
  "tron-vm": "not 64 hex digits",
  "bitcoin-vm": "not 64 hex digits",
  "exchangeb-vm": "not the hex of 32 to 64 bytes",
  "solana-vm": "not base58 of 64 bytes"
}

const parse = (family: VmFamily, text: string): Result.Result<Parsed, InvalidTransactionId> => {
  const parsed = text.length > 512 ? undefined : read(family, text.trim())
  return parsed === undefined
    ? Result.fail(new InvalidTransactionId({ family, input: text.slice(0, 128), reason: expected[family] }))
    : Result.succeed(parsed)
}

/** Any accepted spelling of a transaction id, made canonical. */
export const parseTransactionId = (
  family: VmFamily,
  text: string
): Result.Result<TransactionId, InvalidTransactionId> => Result.map(parse(family, text), (parsed) => parsed.id)

/** The protocol's bytes of a transaction id given in any accepted spelling. */
export const transactionIdToBytes = (
  family: VmFamily,
  text: string
): Result.Result<Uint8Array, InvalidTransactionId> => Result.map(parse(family, text), (parsed) => parsed.bytes)
