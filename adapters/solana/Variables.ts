/** The Solana variables of a transfer service. */
import { createPrivateKey, createPublicKey } from "node:crypto"
import { Effect, Redacted, Result, Schema } from "effect"
import { base58Bytes } from "../../src/domain/families/Base58.ts"
import { hexFromBytes } from "../../src/domain/encoding/Hex.ts"
import { isPrivate } from "../endpoints/PrivateUrl.ts"
import { readOptional, refuseWrong } from "../family/Variables.ts"
import type { Variable } from "../family/Variables.ts"

/** The fixed bytes before the seed in an Ed25519 private key (RFC 8410). */
const PKCS8_ED25519 = Buffer.from("302e020100300506032b657004220420", "hex")

/** True for the seed followed by its own address. Mixing two keys is an error. */
const isSolanaKey = (text: string): boolean => {
  const bytes = base58Bytes(text, 64)
  if (bytes === undefined) return false
  const seed = createPrivateKey({
    key: Buffer.concat([PKCS8_ED25519, bytes.subarray(0, 32)]),
    format: "der",
    type: "pkcs8"
  })
  return createPublicKey(seed).export({ format: "der", type: "spki" }).subarray(-32).equals(bytes.subarray(32))
}

/** URLs to which a key may be sent. */
const PrivateHttpUrl = Schema.String.check(
  Schema.makeFilter((text) => URL.canParse(text) && isPrivate(new URL(text)))
)

const variable = <A>(declared: Variable<A>): Variable<A> => declared

export const solverKey = variable({
  name: "SOLANA_SOLVER_PRIVATE_KEY",
  meaning:
    "the key that pays on Solana, base58 of its 64 bytes as wallets export it: an account of the solver's own, of which no other service may sign; needed where a Solana chain is served",
  schema: Schema.RedactedFromValue(Schema.String.check(Schema.makeFilter(isSolanaKey)), {
    label: "solana-solver-key",
    disallowEncode: true
  })
})

const jupiterUrl = variable({
  name: "JUPITER_API_URL",
  meaning:
    "the base address of the Jupiter swap interface, where swaps within Solana are routed, such as https://api.jup.ag/swap/v1; https, or http of this machine; without it nothing is swapped there",
  schema: PrivateHttpUrl
})

const jupiterApiKey = variable({
  name: "JUPITER_API_KEY",
  meaning: "sent to JUPITER_API_URL as x-api-key; api.jup.ag wants one",
  schema: Schema.RedactedFromValue(Schema.NonEmptyString, { label: "jupiter-api-key", disallowEncode: true })
})

export const solanaVariables = [solverKey, jupiterUrl, jupiterApiKey]

/** Each is undefined when it is not set. */
export const readSolana = Effect.gen(function*() {
  const values = yield* Effect.all({
    key: readOptional(solverKey),
    url: readOptional(jupiterUrl),
    apiKey: readOptional(jupiterApiKey)
  }, { mode: "result" })
  yield* refuseWrong(values)
  const { apiKey, key, url } = yield* Effect.fromResult(Result.all(values))
  return { key, jupiter: { url: url?.replace(/\/+$/u, ""), apiKey } }
})

/** The signing seed of an exported key: its first 32 bytes. Undefined for any other text. */
export const seedOfKey = (key: Redacted.Redacted): Redacted.Redacted<Uint8Array> | undefined => {
  const exported = base58Bytes(Redacted.value(key), 64)
  return exported === undefined ? undefined : Redacted.make(exported.subarray(0, 32))
}

/** The exported key, and the seed at its beginning, as hex. */
export const hexOfKey = (key: Redacted.Redacted): ReadonlyArray<Redacted.Redacted> => {
  const exported = base58Bytes(Redacted.value(key), 64)
  return exported === undefined
    ? []
    : [exported, exported.subarray(0, 32)].map((bytes) => Redacted.make(hexFromBytes(bytes)))
}
