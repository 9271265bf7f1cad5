/**
 * A signature of a KMS as the protocol has it: r‖s‖v with low s, v the one under which it recovers to the signer.
 *
 * SECURITY: what recovers to no key, or to another than the signer's, is no signature of ours and is never given out.
 */
import { Result } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { Hex, hexFromBytes } from "../../../src/domain/encoding/Hex.ts"
import type { Signatures } from "../../../src/domain/encoding/Signature.ts"
import { signatureFromDer } from "./Der.ts"

/** Of the group that secp256k1 generates. */
export const GROUP_ORDER = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n

const word = (value: bigint): string => value.toString(16).padStart(64, "0")

/** s and order − s are both right; only the lower one is accepted by us and by contracts. */
const lowest = (s: bigint): bigint => s > GROUP_ORDER / 2n && s < GROUP_ORDER ? GROUP_ORDER - s : s

/** Undefined when `der` is no signature of `digest` by `signer`. */
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
