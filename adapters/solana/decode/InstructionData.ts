/**
 * Base58 of instruction data, as nodes write what programs have passed on. A program may pass 10 KiB to another one:
 * decoders for addresses refuse that length, and decoding digit by digit is slow, so halves are decoded and joined.
 * Total: undefined for text that is not base58.
 */
import { hexToBytes } from "@noble/hashes/utils.js"

/** The most that a program may pass to another one, and the longest text of that. */
export const MOST_DATA_BYTES = 10_240
export const MOST_DATA_TEXT = Math.ceil(MOST_DATA_BYTES * 1.366)

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
const digits = new Map(Array.from(ALPHABET, (character, digit) => [character, digit]))
const text58 = /^[1-9A-HJ-NP-Za-km-z]*$/

/** The value of this many digits is a whole number that JavaScript holds exactly. */
const CHUNK = 9

const chunksOf = (text: string): Array<bigint> => {
  const chunks: Array<bigint> = []
  for (let end = text.length; end > 0; end -= CHUNK) {
    let value = 0
    for (const character of text.slice(Math.max(0, end - CHUNK), end)) value = value * 58 + (digits.get(character) ?? 0)
    chunks.push(BigInt(value))
  }
  return chunks
}

const numberOf = (text: string): bigint => {
  let [parts, base] = [chunksOf(text), 58n ** BigInt(CHUNK)]
  while (parts.length > 1) {
    const joined: Array<bigint> = []
    for (let at = 0; at < parts.length; at += 2) joined.push((parts[at] ?? 0n) + (parts[at + 1] ?? 0n) * base)
    ;[parts, base] = [joined, base * base]
  }
  return parts[0] ?? 0n
}

export const dataOfBase58 = (text: string): Uint8Array | undefined => {
  if (text.length > MOST_DATA_TEXT || !text58.test(text)) return undefined
  const zeros = text.length - text.replace(/^1+/, "").length
  const number = numberOf(text)
  const hex = number === 0n ? "" : number.toString(16)
  const bytes = hexToBytes(hex.length % 2 === 0 ? hex : `0${hex}`)
  return Uint8Array.of(...new Uint8Array(zeros), ...bytes)
}
