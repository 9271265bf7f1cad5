/**
 * Byte strings as text: `0x` and an even number of hex digits, canonical in lower case.
 *
 * `Hex` and `Hex32` accept only the canonical spelling. `HexFromString` and `Hex32FromString` accept any case on the
 * wire and make it canonical. Not for addresses, which have checksums.
 */
import { hexToBytes as fromDigits } from "@noble/hashes/utils.js"
import * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { hexDigits } from "./HexDigits.ts"

/** `0x` and an even number of lower-case hex digits; the empty byte string is `0x`. */
export const Hex = Schema.TemplateLiteral(["0x", Schema.String]).check(
  Schema.isPattern(/^0x(?:[0-9a-f]{2})*$/)
).pipe(Schema.brand("Hex"))

export type Hex = typeof Hex.Type

/** 32 bytes: `0x` and 64 lower-case hex digits. */
export const Hex32 = Schema.TemplateLiteral(["0x", Schema.String]).check(Schema.isPattern(/^0x[0-9a-f]{64}$/)).pipe(
  Schema.brand("Hex"),
  Schema.brand("Hex32")
)

export type Hex32 = typeof Hex32.Type

const lowerCase = SchemaTransformation.transform({
  decode: (text: string): `0x${string}` => `0x${text.slice(2).toLowerCase()}`,
  encode: (hex: `0x${string}`): string => hex
})

/** A byte string in any case on the wire; lower case once decoded. */
export const HexFromString = Schema.String.check(
  Schema.isPattern(/^0x(?:[0-9a-fA-F]{2})*$/, { expected: "0x and pairs of hex digits" })
).pipe(
  Schema.decodeTo(Hex, lowerCase)
)

/** 32 bytes in any case on the wire; lower case once decoded. */
export const Hex32FromString = Schema.String.check(
  Schema.isPattern(/^0x[0-9a-fA-F]{64}$/, { expected: "0x and 64 hex digits" })
).pipe(
  Schema.decodeTo(Hex32, lowerCase)
)

const hex = Brand.nominal<Hex>()
const hex32 = Brand.nominal<Hex32>()

const anyHex = /^0x(?:[0-9a-fA-F]{2})*$/
const anyHex32 = /^0x[0-9a-fA-F]{64}$/

/** `HexFromString` without a schema, for texts that are decoded by the thousand. Undefined where that refuses. */
export const asHex = (text: string): Hex | undefined =>
  anyHex.test(text) ? hex(`0x${text.slice(2).toLowerCase()}`) : undefined

/** `Hex32FromString` without a schema. Undefined where that refuses. */
export const asHex32 = (text: string): Hex32 | undefined =>
  anyHex32.test(text) ? hex32(`0x${text.slice(2).toLowerCase()}`) : undefined

/** The canonical text of bytes. */
export const hexFromBytes = (bytes: Uint8Array): Hex => hex(`0x${hexDigits(bytes)}`)

/** The canonical text of exactly 32 bytes, such as a digest. Only for values that always have this length. */
export const hex32FromDigest = (digest: Uint8Array): Hex32 => hex32(`0x${hexDigits(digest)}`)

/** The bytes of a canonical byte string. */
export const hexToBytes = (text: Hex): Uint8Array => fromDigits(text.slice(2))

/** 32 zero bytes, made without the schema: the first value that a schema checks takes a start some milliseconds. */
export const ZERO_32: Hex32 = hex32(`0x${"0".repeat(64)}`)

/** True for 32 zero bytes: the id of a deposit that names no order. */
export const isZero32 = (value: Hex32): boolean => /^0x0{64}$/.test(value)
