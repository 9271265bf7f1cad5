/**
 * secp256k1 signatures with recovery: EIP-191 over 32 raw bytes (ORDER-6, EXEC-4), or over a digest.
 *
 * A signature is 65 bytes r‖s‖v, v 27 or 28, s in the lower half. Other spellings are refused, so a message has one
 * signature per signer. Deterministic (RFC 6979). The functions of this module are pure and slow: services sign and
 * recover through ports, whose adapters may use a faster curve. SECURITY: a key passed here is never kept, logged or
 * put into an error.
 */
import { protocolAccounts } from "../chain/ProtocolAccounts.ts"
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { Point } from "@noble/secp256k1"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Address, type InvalidAddress } from "../chain/Address.ts"
import type { Curve } from "./Curve.ts"
import { type Hex, type Hex32, hex32FromDigest, hexFromBytes, hexToBytes } from "./Hex.ts"
import { nobleCurve } from "./NobleCurve.ts"
import { keccak } from "./StructHash.ts"

/** The bytes are not a valid signature, or the key is not a valid key. */
export class InvalidSignature extends Schema.TaggedError<InvalidSignature>()("InvalidSignature", {
  reason: Schema.String
}) {
  override get message(): string {
    return `invalid signature: ${this.reason}`
  }
}

const prefix = utf8ToBytes("\x19Ethereum Signed Message:\n32")

/** The EIP-191 digest of 32 raw bytes. */
export const personalDigest = (hash: Hex32): Uint8Array => keccak(concatBytes(prefix, hexToBytes(hash)))

/** The EIP-191 digest of a text, as wallets sign it. */
export const textDigest = (text: string): Hex32 => {
  const bytes = utf8ToBytes(text)
  return hex32FromDigest(keccak(concatBytes(utf8ToBytes(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes)))
}

/** The account of an uncompressed public key, checked by the curve. */
const accountOf = (publicKey: Uint8Array): Result.Result<Address, InvalidAddress> =>
  protocolAccounts.fromBytes(keccak(publicKey.subarray(1)).slice(12))

const guarded = <A>(reason: string, run: () => A): Result.Result<A, InvalidSignature> =>
  Result.try({ try: run, catch: () => new InvalidSignature({ reason }) })

/** The account of a public key in either form. Fails when the key is not a point of the curve. */
export const accountOfPublicKey = (publicKey: Uint8Array): Result.Result<Address, InvalidSignature | InvalidAddress> =>
  Result.flatMap(
    guarded("the public key is no point of secp256k1", () => Point.fromBytes(publicKey).toBytes(false)),
    accountOf
  )

/** Half of the group's order, the highest valid s. */
const highestS = Uint8Array.from([
  0x7f,
  ...Array<number>(15).fill(0xff),
  0x5d,
  0x57,
  0x6e,
  0x73,
  0x57,
  0xa4,
  0x50,
  0x1d,
  0xdf,
  0xe9,
  0x2f,
  0x46,
  0x68,
  0x1b,
  0x20,
  0xa0
])

const hasHighS = (compact: Uint8Array): boolean => {
  const at = highestS.findIndex((byte, index) => compact[32 + index] !== byte)
  return at >= 0 && (compact[32 + at] ?? 0) > (highestS[at] ?? 0)
}

/** Signing and recovering, on any curve implementation. */
export interface Signatures {
  /** The account that a 32-byte secret key signs for. */
  readonly accountOfKey: (key: Hex32) => Result.Result<Address, InvalidSignature | InvalidAddress>
  /** Signs a 32-byte digest as it is: r‖s‖v with low s. */
  readonly signDigest: (digest: Uint8Array, key: Hex32) => Result.Result<Hex, InvalidSignature>
  /** The account that signed a digest. */
  readonly recoverDigest: (
    digest: Uint8Array,
    signature: Hex
  ) => Result.Result<Address, InvalidSignature | InvalidAddress>
  /**
   * True when exactly this account signed the 32 raw bytes by EIP-191. False for anything else, invalid input included.
   */
  readonly isSignedBy: (hash: Hex32, signature: Hex, signer: string) => boolean
}

/** `Signatures` on this curve. */
export const signaturesOn = (curve: Curve): Signatures => {
  const recoverDigest: Signatures["recoverDigest"] = (digest, signature) => {
    const bytes = hexToBytes(signature)
    const v = bytes[64]
    if (bytes.length !== 65 || (v !== 27 && v !== 28)) {
      return Result.fail(new InvalidSignature({ reason: "not 65 bytes with v 27 or 28" }))
    }
    const compact = bytes.subarray(0, 64)
    if (hasHighS(compact)) return Result.fail(new InvalidSignature({ reason: "s in the upper half" }))
    return Result.flatMap(
      guarded("not r, s of a point", () => curve.recover(digest, { compact, recovery: v - 27 })),
      (publicKey): Result.Result<Address, InvalidSignature | InvalidAddress> => accountOf(publicKey)
    )
  }
  return {
    accountOfKey: (key) =>
      Result.flatMap(guarded("the key is no secp256k1 key", () => curve.publicKey(hexToBytes(key))), accountOf),
    signDigest: (digest, key) =>
      guarded("the key is no secp256k1 key", () => {
        const { compact, recovery } = curve.sign(digest, hexToBytes(key))
        return hexFromBytes(concatBytes(compact, Uint8Array.of(27 + recovery)))
      }),
    recoverDigest,
    isSignedBy: (hash, signature, signer) => {
      const recovered = recoverDigest(personalDigest(hash), signature)
      const expected = protocolAccounts.parse(signer)
      return Result.isSuccess(recovered) && Result.isSuccess(expected) && recovered.success === expected.success
    }
  }
}

/** The functions of `Signatures` on @noble/secp256k1. */
export const { accountOfKey, isSignedBy, recoverDigest, signDigest } = signaturesOn(nobleCurve)

/** EIP-191 over 32 raw bytes, such as an order id or a message id. */
export const signHash = (hash: Hex32, key: Hex32): Result.Result<Hex, InvalidSignature> =>
  signDigest(personalDigest(hash), key)

/** The account that signed 32 raw bytes by EIP-191. */
export const recoverHash = (hash: Hex32, signature: Hex): Result.Result<Address, InvalidSignature | InvalidAddress> =>
  recoverDigest(personalDigest(hash), signature)
