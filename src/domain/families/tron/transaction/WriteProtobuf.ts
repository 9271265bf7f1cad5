/**
 * Writes the fields of a protobuf message, as far as Tron's transactions need them: numbers and bytes. Pure.
 *
 * As in protobuf, a field that is zero or empty is left out. `evidence/Protobuf.ts` reads them.
 */
import { concatBytes } from "@noble/hashes/utils.js"

const varint = (value: bigint): Uint8Array => {
  const bytes: Array<number> = []
  let left = value
  while (left > 0x7fn) {
    bytes.push(Number(left & 0x7fn) | 0x80)
    left >>= 7n
  }
  return Uint8Array.of(...bytes, Number(left))
}

const tag = (number: number, type: 0 | 2): Uint8Array => varint(BigInt(number * 8 + type))

/** `value`: at least zero. */
export const numberField = (number: number, value: bigint): Uint8Array =>
  value === 0n ? new Uint8Array(0) : concatBytes(tag(number, 0), varint(value))

/** A field of bytes. An empty one is left out, as protobuf does. */
export const bytesField = (number: number, value: Uint8Array): Uint8Array =>
  value.length === 0 ? value : concatBytes(tag(number, 2), varint(BigInt(value.length)), value)
