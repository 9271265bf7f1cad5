/** The first eight bytes of instructions and accounts of the depository program: sha256 of their names. */
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"

/** The length of an Anchor discriminator. */
export const DISCRIMINATOR_BYTES = 8

const discriminator = (name: string): Uint8Array => sha256(utf8ToBytes(name)).subarray(0, DISCRIMINATOR_BYTES)

const known = {
  depositNative: discriminator("global:deposit_native"),
  depositToken: discriminator("global:deposit_token"),
  executeTransfer: discriminator("global:execute_transfer"),
  usedRequest: discriminator("account:UsedRequest")
} as const

/** True when the data starts with this discriminator. */
export const startsAs = (name: keyof typeof known, data: Uint8Array): boolean =>
  data.length >= DISCRIMINATOR_BYTES && known[name].every((byte, index) => data[index] === byte)

/** The first bytes of such an instruction's data. */
export const discriminatorOf = (name: keyof typeof known): Uint8Array => Uint8Array.from(known[name])
