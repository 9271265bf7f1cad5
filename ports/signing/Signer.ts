/**
 * One key that signs: its curve, its account or public key, and `sign`. The key may be in this process or in a remote
 * machine. Signing takes time, may fail, and never reveals the key.
 *
 * Every signer guarantees (shown by `adapters/signing/testing/SignerSuite.ts`): a signature is valid under the account
 * or public key that the signer states, and is returned in no other case; signing the same bytes again is safe; no
 * error and no inspection of the signer reveals the key. A payment is signed inside an open store transaction, which
 * waits a few seconds and then rolls back everything, so a remote signer must finish its retries in less time.
 */
import type * as Effect from "effect/Effect"
import type { Address } from "../../src/domain/chain/Address.ts"
import type { SignerUnavailable } from "./SignerUnavailable.ts"

/** Signs digests of 32 bytes with recoverable signatures. */
export interface Secp256k1Signer {
  readonly curve: "secp256k1"
  /** The key's account in the protocol, which is its EVM address. */
  readonly account: Address
  /** Signs a digest of 32 bytes as it is: 65 bytes r‖s‖v, low s, v 27 or 28. */
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

/** A key of either curve. It signs, and never shows the key. */
export type Signer = Secp256k1Signer | Ed25519Signer

/** The signers of one seed, each named by a path of hardened indexes (SLIP-10). The same path gives the same key. */
export type Ed25519Tree = (path: ReadonlyArray<number>) => Effect.Effect<Ed25519Signer, SignerUnavailable>

/** The same of keys of secp256k1 (BIP-32). */
export type Secp256k1Tree = (path: ReadonlyArray<number>) => Effect.Effect<Secp256k1Signer, SignerUnavailable>

/** The signers of the seed of deposit addresses, by curve. */
export interface DepositTrees {
  readonly ed25519: Ed25519Tree
  readonly secp256k1: Secp256k1Tree
}
