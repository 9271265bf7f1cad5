/** `causeway-kit/adapters/signing`: the port `OrderSigner`. */
/** Signs with a key that this process holds. */
export * as LocalOrderSigner from "./LocalOrderSigner.ts"
