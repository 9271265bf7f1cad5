/** `causeway-kit/adapters/oracles`: attestation oracles over HTTP. */
/** The port `Oracles`. */
export * as HttpOracles from "./HttpOracles.ts"
