/**
 * Ed25519 keys derived from names: for the chain's own machinery and for tests.
 *
 * SECURITY: the name reveals the key. Never put real value under one. The local network's users have other keys
 * (SolanaKeys.ts).
 */
import type { Address } from "@solana/kit"
import { getAddressDecoder } from "@solana/kit"
import type { KeyObject } from "node:crypto"
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto"

/** The fixed bytes before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex")

export interface LocalKey {
  readonly seed: Uint8Array
  readonly address: Address
  readonly sign: (message: Uint8Array) => Uint8Array
}

const publicBytes = (key: KeyObject): Uint8Array =>
  new Uint8Array(createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32))

/** The key of a 32-byte seed. */
export const keyOfSeed = (seed: Uint8Array): LocalKey => {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: "der", type: "pkcs8" })
  return {
    seed,
    address: getAddressDecoder().decode(publicBytes(key)),
    sign: (message) => new Uint8Array(sign(null, message, key))
  }
}

/** The key whose seed is the sha256 of a name. */
export const keyOfName = (name: string): LocalKey =>
  keyOfSeed(new Uint8Array(createHash("sha256").update(name).digest()))
