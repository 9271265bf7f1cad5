/**
 * The id of a token deposit that no event names, read from the transaction's calldata (EVM-4, ethereum-vm).
 *
 * `transfer` and `transferFrom` are searched in the whole hex text, left to right, without overlap and not
 * byte-aligned, because wallets nest calls. Calls to the depository with the deposited amount count; their optional
 * last word is the id. Takes linear time in the calldata.
 */
import type { Address } from "../../../chain/Address.ts"
import type { Hex, Hex32 } from "../../../encoding/Hex.ts"
import { accountOf, bytes32Of, uintOf } from "./Words.ts"

const WORD = "[0-9a-f]{64}"

const pattern = new RegExp(`a9059cbb(${WORD})(${WORD})(${WORD})?|23b872dd${WORD}(${WORD})(${WORD})(${WORD})?`, "g")

/** Stands for a missing id. */
const NONE = "0".repeat(64)

/** An id never starts with 16 zero bytes. Such a word is something else. */
const isId = (word: string): boolean => !word.startsWith("0".repeat(32))

/**
 * The one id that the calldata gives a transfer of `amount` to the depository. Undefined when there is none or more
 * than one.
 */
export const idInCalldata = (input: Hex, depository: Address, amount: bigint): Hex32 | undefined => {
  const words = new Set<string>()
  for (const [, toA, amountA, wordA, toB, amountB, wordB] of input.slice(2).matchAll(pattern)) {
    const to = toA ?? toB ?? ""
    if (accountOf(to) === depository && uintOf(amountA ?? amountB ?? NONE) === amount) words.add(wordA ?? wordB ?? NONE)
  }
  const [word] = words
  return words.size === 1 && word !== undefined && isId(word) ? bytes32Of(word) : undefined
}
