/** `causeway-kit/adapters/sealing`: secrets of the store, sealed by a key that is not in it. */
/** The port `SecretSealing`, by AES-256-GCM. */
export * as AesGcmSealing from "./AesGcmSealing.ts"
