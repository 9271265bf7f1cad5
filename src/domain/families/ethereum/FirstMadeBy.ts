import * as Result from "effect/Result"
import { keccak } from "../../encoding/StructHash.ts"
import { hexDigits } from "../../encoding/HexDigits.ts"
import { ethereumAddresses } from "./EthereumAddresses.ts"

/**
 * The bytes of the first contract that an account creates: CREATE with nonce 1, from the RLP of (account, 1).
 * `account`: 20 bytes.
 */
export const firstMadeBytes = (account: Uint8Array): Uint8Array =>
  keccak(Uint8Array.of(0xd6, 0x94, ...account, 0x01)).subarray(12)

/**
 * The first contract that another contract creates, in its constructor. Undefined when `contract` is not an EVM
 * address.
 */
export const firstMadeBy = (contract: string): string | undefined => {
  const bytes = ethereumAddresses.toBytes(contract)
  return Result.isSuccess(bytes) ? `0x${hexDigits(firstMadeBytes(bytes.success))}` : undefined
}
