/**
 * `causeway-kit/adapters/signing`: the ports `Signatures`, `OrderSigner` and `AttestationSigner`, and local signers.
 */
/** The port `Signatures`: libsecp256k1, or noble where that does not run. */
export * as LocalSignatures from "./LocalSignatures.ts"
/** Signers whose keys this process holds, one for each curve. */
export * as LocalSigner from "./LocalSigner.ts"
/** The port `OrderSigner`, from the solver's signer. */
export * as SolverOrderSigner from "./SolverOrderSigner.ts"
/** The port `AttestationSigner`, with a key of this process. */
export * as LocalAttestationSigner from "./LocalAttestationSigner.ts"
/** The port `AttestationSigner`, with a key that never leaves AWS KMS. */
export * as CloudKmsAttestationSigner from "./CloudKmsAttestationSigner.ts"
