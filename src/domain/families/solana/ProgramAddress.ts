/**
 * Addresses that belong to a program of solana-vm and have no private key: sha256 of seeds, a bump and the program,
 * with the highest bump that gives no point of the curve.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import type { Address } from "../AddressCodec.ts"
import { isEd25519Point } from "./Ed25519Point.ts"
import { solanaAddresses } from "./SolanaAddresses.ts"

const marker = utf8ToBytes("ProgramDerivedAddress")

/** Undefined when `program` is not an address, and for the one in 2^255 seeds without a bump. */
export const programAddress = (program: string, seeds: ReadonlyArray<Uint8Array>): Address | undefined => {
  const bytes = solanaAddresses.toBytes(program)
  if (Result.isFailure(bytes)) return undefined
  for (let bump = 255; bump >= 0; bump -= 1) {
    const digest = sha256(concatBytes(...seeds, Uint8Array.of(bump), bytes.success, marker))
    if (isEd25519Point(digest)) continue
    const address = solanaAddresses.fromBytes(digest)
    return Result.isSuccess(address) ? address.success : undefined
  }
  return undefined
}
