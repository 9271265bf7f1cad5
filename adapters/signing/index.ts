/** `causeway-kit/adapters/signing`: the ports `Signatures`, `OrderSigner` and `AttestationSigner`. */
/** The port `Signatures`: libsecp256k1, or noble where that does not run. */
export * as LocalSignatures from "./LocalSignatures.ts"
/** Signs with a key that this process holds. */
export * as LocalOrderSigner from "./LocalOrderSigner.ts"
/** The port `AttestationSigner`, from a key of this process. */
export * as LocalAttestationSigner from "./LocalAttestationSigner.ts"
/** The port `AttestationSigner`, from a key that never leaves AWS KMS. */
export * as CloudKmsAttestationSigner from "./CloudKmsAttestationSigner.ts"
