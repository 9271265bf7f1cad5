/** `causeway-kit/adapters/sealing`: seals the store's secrets with a key that is not in the store. */
/** The port `SecretSealing`, by AES-256-GCM. */
export * as AesGcmSealing from "./AesGcmSealing.ts"
