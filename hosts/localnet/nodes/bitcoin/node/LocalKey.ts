/**
 * Keys of a local Bitcoin chain, each with its P2WPKH address. Derived from names in the source: for test money only.
 */
import { sign } from "@noble/secp256k1"
import * as secp from "@noble/secp256k1"
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { crypto, networks, payments } from "bitcoinjs-lib"
import { createHash } from "node:crypto"

secp.hashes.sha256 = sha256
secp.hashes.hmacSha256 = (key, message) => hmac(sha256, key, message)

export interface BitcoinKey {
  readonly privateKey: Uint8Array
  readonly publicKey: Uint8Array
  /** The hash of the public key, which is the address's program. */
  readonly program: Uint8Array
  readonly address: string
  readonly script: Uint8Array
  /** The signature of a hash, in bitcoinjs's form. */
  readonly sign: (hash: Uint8Array) => Uint8Array
}

export const keyOf = (privateKey: Uint8Array): BitcoinKey => {
  const publicKey = secp.getPublicKey(privateKey, true)
  const { address, output } = payments.p2wpkh({ pubkey: publicKey, network: networks.regtest })
  if (address === undefined || output === undefined) throw new Error("a key without an address")
  return {
    privateKey,
    publicKey,
    program: crypto.hash160(publicKey),
    address,
    script: output,
    sign: (hash) => sign(hash, privateKey, { prehash: false })
  }
}

/** The key that is the sha256 of a name. */
export const keyOfName = (name: string): BitcoinKey => keyOf(new Uint8Array(createHash("sha256").update(name).digest()))
