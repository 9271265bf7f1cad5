/** secp256k1 by @noble/secp256k1: no native code, runs on every platform, slow (docs/performance.md). */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { getPublicKey, hashes, Point, recoverPublicKey, sign, Signature } from "@noble/secp256k1"
import type { Curve } from "./Curve.ts"

// The library has no hash functions. It needs these for its nonces (RFC 6979).
hashes.sha256 = sha256
hashes.hmacSha256 = (key, message) => hmac(sha256, key, message)

export const nobleCurve: Curve = {
  publicKey: (key) => getPublicKey(key, false),
  sign: (digest, key) => {
    const recovered = sign(digest, key, { prehash: false, lowS: true, format: "recovered" })
    return { compact: recovered.subarray(1), recovery: recovered[0] ?? 0 }
  },
  recover: (digest, { compact, recovery }) => {
    const recovered = Signature.fromBytes(compact, "compact").addRecoveryBit(recovery).toBytes("recovered")
    return Point.fromBytes(recoverPublicKey(recovered, digest, { prehash: false })).toBytes(false)
  }
}
