/**
 * Signers whose keys this process holds. A key exists only in the closure that signs with it, so code that has the
 * signer cannot print the key.
 */
import { createPrivateKey, createPublicKey, sign } from "node:crypto"
import { Effect, Redacted, Result } from "effect"
import type { Ed25519Signer, Ed25519Tree, Secp256k1Signer, Secp256k1Tree } from "../../ports/signing/Signer.ts"
import { Signatures } from "../../ports/signing/Signatures.ts"
import { deriveEd25519, deriveSecp256k1 } from "../../src/domain/deposit-address/HardenedKeys.ts"
import { hex32FromDigest, hexToBytes } from "../../src/domain/encoding/Hex.ts"
import type { Hex, Hex32 } from "../../src/domain/encoding/Hex.ts"

/** `key` was checked where the configuration was decoded. Any other value is a defect. */
export const localSecp256k1 = Effect.fnUntraced(function*(key: Redacted.Redacted<Hex32>) {
  const { accountOfKey, signDigest } = yield* Signatures
  const account = yield* Effect.orDie(Effect.fromResult(accountOfKey(Redacted.value(key))))
  const signer: Secp256k1Signer = {
    curve: "secp256k1",
    account,
    sign: (digest) =>
      Result.match(signDigest(digest, Redacted.value(key)), {
        onFailure: Effect.die,
        onSuccess: (hex) => Effect.succeed(hexToBytes(hex))
      })
  }
  return signer
})

/** The fixed bytes before the 32 bytes of an Ed25519 private key (RFC 8410). */
const PKCS8_ED25519 = Buffer.from("302e020100300506032b657004220420", "hex")

/** `key`: the 32 bytes that RFC 8032 calls the private key. */
export const localEd25519 = (key: Redacted.Redacted<Uint8Array>): Ed25519Signer => {
  const held = createPrivateKey({
    key: Buffer.concat([PKCS8_ED25519, Redacted.value(key)]),
    format: "der",
    type: "pkcs8"
  })
  return {
    curve: "ed25519",
    publicKey: new Uint8Array(createPublicKey(held).export({ format: "der", type: "spki" }).subarray(-32)),
    sign: (message) => Effect.sync(() => new Uint8Array(sign(null, message, held)))
  }
}

/** `seed`: 16 to 64 bytes. Each key is derived when it is needed, and is not kept. */
export const localEd25519Tree = (seed: Redacted.Redacted<Hex>): Ed25519Tree => (path) =>
  Effect.sync(() => localEd25519(Redacted.make(deriveEd25519(hexToBytes(Redacted.value(seed)), path))))

/** The same of keys of secp256k1. */
export const localSecp256k1Tree = (seed: Redacted.Redacted<Hex>): Effect.Effect<Secp256k1Tree, never, Signatures> =>
  Effect.map(
    Signatures,
    (signatures) => (path) =>
      Effect.suspend(() =>
        localSecp256k1(Redacted.make(hex32FromDigest(deriveSecp256k1(hexToBytes(Redacted.value(seed)), path))))
      ).pipe(Effect.provideService(Signatures, signatures))
  )
