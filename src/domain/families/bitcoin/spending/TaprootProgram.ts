/** The witness program of a taproot address that only its key spends: the internal key, tweaked by itself (BIP-341). */
import { sha256 } from "@noble/hashes/sha2.js"
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { Point } from "@noble/secp256k1"
import * as Result from "effect/Result"
import { hexDigits } from "../../../encoding/HexDigits.ts"

const tweakOf = (internalKey: Uint8Array): bigint => {
  const tag = sha256(utf8ToBytes("TapTweak"))
  return BigInt(`0x${hexDigits(sha256(concatBytes(tag, tag, internalKey)))}`)
}

/** The even y is the key's by definition (BIP-340). */
const EVEN = 0x02

const tweaked = (internalKey: Uint8Array): Uint8Array =>
  Point.fromBytes(concatBytes(Uint8Array.of(EVEN), internalKey))
    .add(Point.BASE.multiply(tweakOf(internalKey)))
    .toBytes(true)
    .slice(1)

/** 32 bytes. Undefined when `internalKey` is not the x coordinate of a point. */
export const taprootProgram = (internalKey: Uint8Array): Uint8Array | undefined => {
  if (internalKey.length !== 32) return undefined
  const program = Result.try({ try: () => tweaked(internalKey), catch: () => undefined })
  return Result.isSuccess(program) ? program.success : undefined
}
