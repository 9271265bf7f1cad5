/**
 * The secp256k1 operations behind signatures. `nobleCurve` is always available; a native library with the same results
 * is faster. Every function throws for an invalid key, digest or point.
 */
export interface Curve {
  /** Uncompressed, 65 bytes. */
  readonly publicKey: (key: Uint8Array) => Uint8Array
  /** Signs a 32-byte digest: deterministic (RFC 6979), s in the lower half. */
  readonly sign: (digest: Uint8Array, key: Uint8Array) => RecoverableSignature
  /** The uncompressed public key. A high s may be accepted here, so callers must refuse it. */
  readonly recover: (digest: Uint8Array, signature: RecoverableSignature) => Uint8Array
}

/** A signature from which the signer's public key can be computed. */
export interface RecoverableSignature {
  /** r‖s, 64 bytes. */
  readonly compact: Uint8Array
  /** 0 or 1. */
  readonly recovery: number
}
