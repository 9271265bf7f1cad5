/**
 * Base58 and base58check without throws, and without quadratic cost on long invalid input.
 *
 * `undefined` means that the text does not hold exactly the expected number of bytes, or that its checksum is wrong.
 * The caller chooses the error.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { base58, createBase58check } from "@scure/base"

const alphabet = /^[1-9A-HJ-NP-Za-km-z]+$/

const base58check = createBase58check(sha256)

/** An upper bound for the characters of `size` bytes: log(256)/log(58) < 1.37. */
const isPlausible = (text: string, size: number): boolean =>
  text.length <= Math.ceil(size * 1.37) && alphabet.test(text)

/** The bytes of a base58 text, if there are exactly `size`. */
export const base58Bytes = (text: string, size: number): Uint8Array | undefined => {
  if (!isPlausible(text, size)) return undefined
  const bytes = base58.decode(text)
  return bytes.length === size ? bytes : undefined
}

/** The payload of a base58check text, if it has exactly `size` bytes and a valid checksum. */
export const base58CheckBytes = (text: string, size: number): Uint8Array | undefined => {
  const bytes = base58Bytes(text, size + 4)
  if (bytes === undefined) return undefined
  const payload = bytes.slice(0, size)
  return base58check.encode(payload) === text ? payload : undefined
}

/** The base58check text of a payload. */
export const base58CheckText = (payload: Uint8Array): string => base58check.encode(payload)
