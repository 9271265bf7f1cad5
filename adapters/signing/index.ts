/** `causeway-kit/adapters/signing`: the port `OrderSigner`. */
/** Signs with a key that this process holds. */
export * as LocalOrderSigner from "./LocalOrderSigner.ts"
/** The port `AttestationSigner`, from a key of this process. */
export * as LocalAttestationSigner from "./LocalAttestationSigner.ts"
