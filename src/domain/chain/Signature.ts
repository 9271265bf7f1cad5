/**
 * secp256k1 signatures with recovery: EIP-191 over 32 raw bytes (spec/4 §2, §3), or over a digest.
 *
 * 65 bytes r‖s‖v, v 27 or 28, s in the lower half: other spellings of a signature are refused, so
 * that one message has one per signer. Pure, and slow: services sign and recover through a port.
 * Deterministic (RFC 6979). SECURITY: a key passed here is never kept, logged or put into an error.
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { getPublicKey, hashes, Point, recoverPublicKey, sign, Signature } from "@noble/secp256k1"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Address, addressCodec, type InvalidAddress } from "./Address.ts"
import { type Hex, type Hex32, hexFromBytes, hexToBytes } from "./Hex.ts"
import { keccak } from "./StructHash.ts"

/** Bytes that are no signature, or a key that is no key. */
export class InvalidSignature extends Schema.TaggedError<InvalidSignature>()("InvalidSignature", {
  reason: Schema.String
}) {
  override get message(): string {
    return `invalid signature: ${this.reason}`
  }
}

// The library brings no hash of its own: these make its nonces, by RFC 6979.
hashes.sha256 = sha256
hashes.hmacSha256 = (key, message) => hmac(sha256, key, message)

const prefix = utf8ToBytes("\x19Ethereum Signed Message:\n32")

/** The EIP-191 digest of 32 raw bytes. */
export const personalDigest = (hash: Hex32): Uint8Array => keccak(concatBytes(prefix, hexToBytes(hash)))

/** The account of an uncompressed or compressed public key, checked by the curve. */
const accountOf = (publicKey: Uint8Array): Result.Result<Address, InvalidAddress> =>
  addressCodec("ethereum-vm").fromBytes(keccak(publicKey.subarray(1)).slice(12))

const guarded = <A>(reason: string, run: () => A): Result.Result<A, InvalidSignature> =>
  Result.try({ try: run, catch: () => new InvalidSignature({ reason }) })

/** The account that a 32-byte secret key signs for. */
export const accountOfKey = (key: Hex32): Result.Result<Address, InvalidSignature | InvalidAddress> =>
  Result.flatMap(
    guarded("the key is no secp256k1 key", () => getPublicKey(hexToBytes(key), false)),
    accountOf
  )

/** Signs a 32-byte digest as it is: r‖s‖v with low s. */
export const signDigest = (digest: Uint8Array, key: Hex32): Result.Result<Hex, InvalidSignature> =>
  guarded("the key is no secp256k1 key", () => {
    const recovered = sign(digest, hexToBytes(key), { prehash: false, lowS: true, format: "recovered" })
    return hexFromBytes(concatBytes(recovered.subarray(1), Uint8Array.of(27 + (recovered[0] ?? 0))))
  })

/** EIP-191 over 32 raw bytes, such as an order id or a message id. */
export const signHash = (hash: Hex32, key: Hex32): Result.Result<Hex, InvalidSignature> =>
  signDigest(personalDigest(hash), key)

/** The account that signed a digest. */
export const recoverDigest = (
  digest: Uint8Array,
  signature: Hex
): Result.Result<Address, InvalidSignature | InvalidAddress> => {
  const bytes = hexToBytes(signature)
  const v = bytes[64]
  if (bytes.length !== 65 || (v !== 27 && v !== 28)) {
    return Result.fail(new InvalidSignature({ reason: "not 65 bytes with v 27 or 28" }))
  }
  const compact = bytes.subarray(0, 64)
  return Result.flatMap(
    guarded("not r, s of a point", () => {
      const parsed = Signature.fromBytes(compact, "compact")
      if (parsed.hasHighS()) return undefined
      const recovered = parsed.addRecoveryBit(v - 27).toBytes("recovered")
      return Point.fromBytes(recoverPublicKey(recovered, digest, { prehash: false })).toBytes(false)
    }),
    (publicKey): Result.Result<Address, InvalidSignature | InvalidAddress> =>
      publicKey === undefined
        ? Result.fail(new InvalidSignature({ reason: "s in the upper half" }))
        : accountOf(publicKey)
  )
}

/** The account that signed 32 raw bytes by EIP-191. */
export const recoverHash = (hash: Hex32, signature: Hex): Result.Result<Address, InvalidSignature | InvalidAddress> =>
  recoverDigest(personalDigest(hash), signature)

/** True when exactly this account signed the 32 raw bytes; false for anything else, garbage included. */
export const isSignedBy = (hash: Hex32, signature: Hex, signer: string): boolean => {
  const recovered = recoverHash(hash, signature)
  const expected = addressCodec("ethereum-vm").parse(signer)
  return Result.isSuccess(recovered) && Result.isSuccess(expected) && recovered.success === expected.success
}
