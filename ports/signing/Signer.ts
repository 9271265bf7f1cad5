/**
 * One key that signs: its curve, whose it is, and `sign`. The key may be in this process or in a machine far away:
 * signing takes time, may fail, and never shows the key.
 *
 * What every signer promises (`adapters/signing/testing/SignerSuite.ts` shows it): a signature holds under the account
 * or public key that the signer states, and is given out in no other case; signing the same bytes again is safe; no
 * error and no inspection of the signer shows the key. A payment is signed while a transaction of the store is open,
 * which waits for a few seconds and then takes back everything: a remote signer tries again within less.
 */
import type * as Effect from "effect/Effect"
import type { Address } from "../../src/domain/chain/Address.ts"
import type { SignerUnavailable } from "./SignerUnavailable.ts"

/** Signs digests of 32 bytes, recoverably. */
export interface Secp256k1Signer {
  readonly curve: "secp256k1"
  /** The protocol's account of the key, which is its EVM address. */
  readonly account: Address
  /** Signs 32 bytes, a digest, as they are: 65 bytes r‖s‖v, low s, v 27 or 28. */
  readonly sign: (digest: Uint8Array) => Effect.Effect<Uint8Array, SignerUnavailable>
}

/** Signs messages; its account is its public key. */
export interface Ed25519Signer {
  readonly curve: "ed25519"
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  /** Signs a message of any length (RFC 8032): 64 bytes. */
  readonly sign: (message: Uint8Array) => Effect.Effect<Uint8Array, SignerUnavailable>
}

export type Signer = Secp256k1Signer | Ed25519Signer

/** The signers of one seed, each named by a path of hardened indexes (SLIP-10): the same path is the same key. */
export type Ed25519Tree = (path: ReadonlyArray<number>) => Effect.Effect<Ed25519Signer, SignerUnavailable>
