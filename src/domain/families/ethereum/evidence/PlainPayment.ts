/**
 * The order that a plain payment names: native value with only an id as its data, or a token transfer with an id
 * appended.
 */
import type { Hex, Hex32 } from "../../../encoding/Hex.ts"
import { bytes32Of } from "./Words.ts"

const plain = /^0x(?:a9059cbb[0-9a-f]{128})?([0-9a-f]{64})$/

/** Undefined for every other input, where an id means what the called contract makes of it. */
export const plainPaymentId = (input: Hex): Hex32 | undefined => {
  const [, word] = plain.exec(input) ?? []
  return word === undefined ? undefined : bytes32Of(word)
}
