/**
 * secp256k1 by libsecp256k1, prebuilt for Node. Undefined when there is no build for the platform.
 *
 * SECURITY: the package's main module would silently fall back to `elliptic`, whose signatures have been broken more
 * than once. `bindings.js` throws instead, and the caller falls back to noble.
 */
import { Schema } from "effect"
import type { Curve } from "../../../src/domain/encoding/Curve.ts"

interface Bindings {
  readonly publicKeyCreate: (key: Uint8Array, compressed: boolean) => Uint8Array
  readonly ecdsaSign: (
    digest: Uint8Array,
    key: Uint8Array
  ) => { readonly signature: Uint8Array; readonly recid: number }
  readonly ecdsaRecover: (compact: Uint8Array, recovery: number, digest: Uint8Array, compressed: boolean) => Uint8Array
}

const functions = ["publicKeyCreate", "ecdsaSign", "ecdsaRecover"] as const

const Bindings = Schema.declare((value): value is Bindings =>
  typeof value === "object" && value !== null &&
  functions.every((name) => name in value && typeof Reflect.get(value, name) === "function")
)

const importBindings = async (): Promise<unknown> => (await import("secp256k1/bindings.js")).default

/** `load` returns the bindings, or throws when there are none. */
export const nativeCurve = async (load: () => Promise<unknown> = importBindings): Promise<Curve | undefined> => {
  try {
    const { ecdsaRecover, ecdsaSign, publicKeyCreate } = Schema.decodeUnknownSync(Bindings)(await load())
    return {
      publicKey: (key) => publicKeyCreate(key, false),
      sign: (digest, key) => {
        const { recid, signature } = ecdsaSign(digest, key)
        return { compact: signature, recovery: recid }
      },
      recover: (digest, { compact, recovery }) => ecdsaRecover(compact, recovery, digest, false)
    }
  } catch {
    return undefined
  }
}
