/**
 * EIP-712 `hashStruct` and packed hashes, written by hand over @noble/hashes.
 *
 * A struct's hash is keccak256 of its type hash and one 32-byte word per member: numbers and addresses left-padded,
 * dynamic members as their own hash. Much faster than a generic encoder that parses its types every time, which matters
 * as every order and message is hashed.
 */
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { keccak } from "./Keccak.ts"

export { keccak } from "./Keccak.ts"

const maxUint256 = (1n << 256n) - 1n

/** True when the value fits an unsigned 256-bit word. */
export const isUint256 = (value: bigint): boolean => value >= 0n && value <= maxUint256

/** True when the value fits a signed 256-bit word. */
export const isInt256 = (value: bigint): boolean => value >= -(1n << 255n) && value < 1n << 255n

/** keccak256 of the UTF-8 of a text: a type hash, or a string member. */
export const keccakText = (text: string): Uint8Array => keccak(utf8ToBytes(text))

/** The 32-byte big-endian word of an integer, two's complement when negative. The caller checks the range. */
export const word = (value: bigint): Uint8Array => {
  const out = new Uint8Array(32)
  const view = new DataView(out.buffer)
  if (value >= 0n && value < 1n << 64n) {
    view.setBigUint64(24, value)
    return out
  }
  view.setBigUint64(24, BigInt.asUintN(64, value))
  view.setBigUint64(16, BigInt.asUintN(64, value >> 64n))
  view.setBigUint64(8, BigInt.asUintN(64, value >> 128n))
  view.setBigUint64(0, BigInt.asUintN(64, value >> 192n))
  return out
}

/** A word with the bytes right-aligned, as for addresses. At most 32 bytes. */
export const wordOf = (bytes: Uint8Array): Uint8Array => {
  const out = new Uint8Array(32)
  out.set(bytes, 32 - bytes.length)
  return out
}

/** keccak256 of concatenated words: `hashStruct` when the first is the type hash, an array's hash otherwise. */
export const hashWords = (words: ReadonlyArray<Uint8Array>): Uint8Array => {
  const data = new Uint8Array(words.length * 32)
  for (const [index, part] of words.entries()) data.set(part, index * 32)
  return keccak(data)
}
