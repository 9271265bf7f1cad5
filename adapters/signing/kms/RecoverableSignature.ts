/**
 * Converts a KMS signature to the protocol's form: r‖s‖v with low s and the v that recovers to the signer.
 *
 * SECURITY: a signature that recovers to no key, or to another key than the signer's, is never returned.
 */
import { Result } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { Hex, hexFromBytes } from "../../../src/domain/encoding/Hex.ts"
import type { Signatures } from "../../../src/domain/encoding/Signature.ts"
import { signatureFromDer } from "./Der.ts"

/** The order of secp256k1's group. */
export const GROUP_ORDER = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n

const word = (value: bigint): string => value.toString(16).padStart(64, "0")

/** Both s and order − s are valid. We and the contracts accept only the lower one. */
const lowest = (s: bigint): bigint => s > GROUP_ORDER / 2n && s < GROUP_ORDER ? GROUP_ORDER - s : s

/** Undefined when `der` is not a signature of `digest` by `signer`. */
export const recoverableSignature = (
  recoverDigest: Signatures["recoverDigest"],
  der: Uint8Array,
  digest: Uint8Array,
  signer: Address
): Hex | undefined => {
  const parsed = signatureFromDer(der)
  if (Result.isFailure(parsed)) return undefined
  const r = BigInt(hexFromBytes(parsed.success.r))
  const s = lowest(BigInt(hexFromBytes(parsed.success.s)))
  return ["1b", "1c"].map((v) => Hex.make(`0x${word(r)}${word(s)}${v}`)).find((signature) => {
    const recovered = recoverDigest(digest, signature)
    return Result.isSuccess(recovered) && recovered.success === signer
  })
}
