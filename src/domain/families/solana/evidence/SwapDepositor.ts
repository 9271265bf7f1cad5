/**
 * The call of the swap depositor program (SOLANA-20): the least deposit, the order, and the bytes of the swap that it
 * makes before. The service writes it and clients read it.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { hex32FromDigest, hexToBytes } from "../../../encoding/Hex.ts"
import type { Hex32 } from "../../../encoding/Hex.ts"

/** The arguments of `swap_and_deposit` (SOLANA-20). */
export interface SwapDepositCall {
  /** The least deposit, smallest units. */
  readonly minimum: bigint
  readonly id: Hex32
  /** The bytes of the swap program's instruction. */
  readonly swap: Uint8Array
}

const NAME = sha256(utf8ToBytes("global:swap_and_deposit")).subarray(0, 8)
const HEAD = 8 + 8 + 32

/** The data of the instruction (SOLANA-20). */
export const swapDepositData = ({ id, minimum, swap }: SwapDepositCall): Uint8Array => {
  const data = new Uint8Array(HEAD + swap.length)
  data.set(NAME)
  new DataView(data.buffer).setBigUint64(8, minimum, true)
  data.set(hexToBytes(id), 16)
  data.set(swap, HEAD)
  return data
}

/** Undefined for another instruction. */
export const swapDepositOf = (data: Uint8Array): SwapDepositCall | undefined =>
  data.length <= HEAD || NAME.some((byte, at) => data[at] !== byte) ? undefined : {
    minimum: new DataView(data.buffer, data.byteOffset).getBigUint64(8, true),
    id: hex32FromDigest(data.slice(16, HEAD)),
    swap: data.slice(HEAD)
  }
