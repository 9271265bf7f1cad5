/** One signature and one recovery, by libsecp256k1 and by noble. */
import { hex32FromDigest } from "../../src/domain/encoding/Hex.ts"
import { Hex32 } from "../../src/domain/encoding/Hex.ts"
import { nobleCurve } from "../../src/domain/encoding/NobleCurve.ts"
import { personalDigest, signaturesOn } from "../../src/domain/encoding/Signature.ts"
import { Result } from "effect"
import { makeSignatures } from "./LocalSignatures.ts"
import { nativeCurve } from "./secp256k1/NativeCurve.ts"

const native = makeSignatures(await nativeCurve())
const noble = signaturesOn(nobleCurve)
const key = Hex32.make(`0x${"2a".repeat(32)}`)
const digest = personalDigest(hex32FromDigest(new Uint8Array(32).fill(7)))
const signature = Result.getOrThrow(noble.signDigest(digest, key))

export const baseline = `sign, ${native.engine}`
export const cases = {
  [baseline]: () => native.signDigest(digest, key),
  [`recover, ${native.engine}`]: () => native.recoverDigest(digest, signature),
  "sign, noble": () => noble.signDigest(digest, key),
  "recover, noble": () => noble.recoverDigest(digest, signature)
}
