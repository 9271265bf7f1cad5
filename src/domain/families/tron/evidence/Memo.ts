/**
 * The order that a memo names on tron-vm: the id's 32 bytes, or its text (`0x` and 64 hex digits), and nothing else.
 * Wallets write either form. Pure, total.
 */
import { hex32FromDigest, Hex32 } from "../../../encoding/Hex.ts"

const ID = /^0x[0-9a-fA-F]{64}$/

export const orderIdInMemo = (memo: Uint8Array): Hex32 | undefined => {
  if (memo.length === 32) return hex32FromDigest(memo)
  const text = memo.length === 66 ? Array.from(memo, (byte) => String.fromCharCode(byte)).join("") : ""
  return ID.test(text) ? Hex32.make(`0x${text.slice(2).toLowerCase()}`) : undefined
}
