/** Reads ABI words from hex text without a full type decoder, because log decoding runs over everything on a chain. */
import * as Result from "effect/Result"
import type { Address } from "../../../chain/Address.ts"
import { ethereumAddresses } from "../EthereumAddresses.ts"
import { type Hex, Hex32 } from "../../../encoding/Hex.ts"

const DIGITS = 64

/** The words of data with exactly `count` words. Undefined for any other length. */
export const wordsOf = (data: Hex, count: number): ReadonlyArray<string> | undefined =>
  data.length === 2 + count * DIGITS
    ? Array.from({ length: count }, (_, index) => data.slice(2 + index * DIGITS, 2 + (index + 1) * DIGITS))
    : undefined

/** A word as an unsigned number. */
export const uintOf = (word: string): bigint => BigInt(`0x${word}`)

/** A word as an account. Undefined when its upper 12 bytes are not zero. */
export const accountOf = (word: string): Address | undefined => {
  if (!word.startsWith("0".repeat(24))) return undefined
  const parsed = ethereumAddresses.parse(`0x${word.slice(24)}`)
  return Result.isSuccess(parsed) ? parsed.success : undefined
}

/** A word as 32 bytes. */
export const bytes32Of = (word: string): Hex32 => Hex32.make(`0x${word}`)
