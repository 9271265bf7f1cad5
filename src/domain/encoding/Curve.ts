/**
 * What secp256k1 signatures rest on. `nobleCurve` is always there; a native library with the same answers is faster.
 * Every function throws for what is no key, no digest or no point.
 */
export interface Curve {
  /** Uncompressed, 65 bytes. */
  readonly publicKey: (key: Uint8Array) => Uint8Array
  /** Of a 32-byte digest: deterministic (RFC 6979), s in the lower half. */
  readonly sign: (digest: Uint8Array, key: Uint8Array) => RecoverableSignature
  /** The uncompressed public key. A high s may be accepted here: whoever calls refuses it. */
  readonly recover: (digest: Uint8Array, signature: RecoverableSignature) => Uint8Array
}

/** A signature from which the signer's key can be computed. */
export interface RecoverableSignature {
  /** r‖s, 64 bytes. */
  readonly compact: Uint8Array
  /** 0 or 1. */
  readonly recovery: number
}
