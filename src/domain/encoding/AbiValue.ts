/**
 * The leaves of the strict ABI codec: one-word values, byte strings and texts. See `Abi.ts`.
 *
 * Dirty bits, non-zero padding and invalid UTF-8 are errors.
 */
import { hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { asAddress, type Address } from "../families/AddressCodec.ts"
import { type Hex, type Hex32, hex32FromDigest, hexFromBytes } from "./Hex.ts"
import { word, wordOf } from "./StructHash.ts"
import { hexDigits } from "./HexDigits.ts"

/** The bytes are not the canonical encoding, or the type cannot hold the value. */
export class InvalidAbi extends Schema.TaggedError<InvalidAbi>()("InvalidAbi", { reason: Schema.String }) {
  override get message(): string {
    return `invalid ABI encoding: ${this.reason}`
  }
}

/** A value, and where its encoding ends. */
export interface Decoded<A> {
  readonly value: A
  /** Where the next value has to start. */
  readonly end: number
}

/** A type of the Solidity ABI. `decode` refuses every encoding but the canonical one. */
export interface AbiType<A> {
  /** Dynamic values are referenced by an offset. */
  readonly dynamic: boolean
  /** Bytes that it takes in the head of its container. */
  readonly headSize: number
  readonly encode: (value: A) => Result.Result<Uint8Array, InvalidAbi>
  readonly decode: (data: Uint8Array, at: number) => Result.Result<Decoded<A>, InvalidAbi>
}

/** A failure with its reason. */
export const invalid = (reason: string) => Result.fail(new InvalidAbi({ reason }))

/** Concatenates byte strings. */
export const concat = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

/** A type of one word. */
const single = <A>(
  encode: (value: A) => Uint8Array | undefined,
  decode: (bytes: Uint8Array) => A | undefined,
  name: string
): AbiType<A> => ({
  dynamic: false,
  headSize: 32,
  encode: (value) => {
    const bytes = encode(value)
    return bytes === undefined ? invalid(`no ${name}`) : Result.succeed(bytes)
  },
  decode: (data, at) => {
    if (at + 32 > data.length) return invalid("too short")
    const value = decode(data.subarray(at, at + 32))
    return value === undefined ? invalid(`no ${name}`) : Result.succeed({ value, end: at + 32 })
  }
})

const integerOf = (bytes: Uint8Array): bigint => BigInt(`0x${hexDigits(bytes)}`)

/** An unsigned integer of this many bits. */
export const abiUint = (bits: number): AbiType<bigint> => {
  const holds = (value: bigint) => value >= 0n && value < 1n << BigInt(bits)
  return single(
    (value) => holds(value) ? word(value) : undefined,
    (bytes) => {
      const value = integerOf(bytes)
      return holds(value) ? value : undefined
    },
    `uint${bits}`
  )
}

/** `bool`: one word, 0 or 1. Any other word is refused. */
export const abiBool: AbiType<boolean> = single(
  (value) => word(value ? 1n : 0n),
  (bytes) => {
    const value = integerOf(bytes)
    return value > 1n ? undefined : value === 1n
  },
  "bool"
)

const accountPattern = /^0x[0-9a-f]{40}$/

/** A canonical EVM account. */
export const abiAddress: AbiType<Address> = single(
  (value) => accountPattern.test(value) ? wordOf(hexToBytes(value.slice(2))) : undefined,
  (bytes) =>
    bytes.subarray(0, 12).every((byte) => byte === 0) ? asAddress(`0x${hexDigits(bytes.subarray(12))}`) : undefined,
  "address"
)

/** `bytes32`: 32 bytes, as 64 hex digits. */
export const abiBytes32: AbiType<Hex32> = single((value) => hexToBytes(value.slice(2)), hex32FromDigest, "bytes32")

const padded = (size: number): number => Math.ceil(size / 32) * 32

/** Reads a length from a word. `undefined` when it exceeds the data. */
export const lengthAt = (data: Uint8Array, at: number): number | undefined => {
  if (at + 32 > data.length) return undefined
  const length = integerOf(data.subarray(at, at + 32))
  return length > BigInt(data.length - at - 32) ? undefined : Number(length)
}

const bytesWith = <A>(
  toBytes: (value: A) => Uint8Array | undefined,
  ofBytes: (bytes: Uint8Array) => A | undefined,
  name: string
): AbiType<A> => ({
  dynamic: true,
  headSize: 32,
  encode: (value) => {
    const bytes = toBytes(value)
    if (bytes === undefined) return invalid(`no ${name}`)
    const tail = new Uint8Array(padded(bytes.length))
    tail.set(bytes)
    return Result.succeed(concat([word(BigInt(bytes.length)), tail]))
  },
  decode: (data, at) => {
    const length = lengthAt(data, at)
    if (length === undefined) return invalid("a length beyond the end")
    const from = at + 32
    const end = from + padded(length)
    if (end > data.length) return invalid("too short")
    if (!data.subarray(from + length, end).every((byte) => byte === 0)) return invalid("padding that is not zero")
    const value = ofBytes(data.subarray(from, from + length))
    return value === undefined ? invalid(`no ${name}`) : Result.succeed({ value, end })
  }
})

/** `bytes` of any length, as hex. */
export const abiBytes: AbiType<Hex> = bytesWith((value) => hexToBytes(value.slice(2)), hexFromBytes, "bytes")

const strictUtf8 = (bytes: Uint8Array): string | undefined => {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
  const again = utf8ToBytes(text)
  return again.length === bytes.length && again.every((byte, index) => byte === bytes[index]) ? text : undefined
}

/** A string of well-formed UTF-8. */
export const abiString: AbiType<string> = bytesWith(
  (value) => value.isWellFormed() ? utf8ToBytes(value) : undefined,
  strictUtf8,
  "string"
)
