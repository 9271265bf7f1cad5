/**
 * A valid signature whose r has 21 bytes: its nonce is 1/2, whose point is known to be that short. It gives the key
 * away.
 */
import { hexFromBytes } from "../../../../src/domain/encoding/Hex.ts"
import { GROUP_ORDER } from "../../kms/RecoverableSignature.ts"

const r = 0x3b78ce563f89a0ed9414f5aa28ad0d96d6795f9c63n

export const shortSignature = (digest: Uint8Array, secret: Uint8Array): { readonly r: bigint; readonly s: bigint } => {
  const s = 2n * (BigInt(hexFromBytes(digest)) + r * BigInt(hexFromBytes(secret))) % GROUP_ORDER
  return { r, s }
}
