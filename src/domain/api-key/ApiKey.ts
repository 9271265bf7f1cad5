/**
 * An API key as it is known here: by its hash, never by its text (KEY-1).
 *
 * A key has at most one linked wallet; a wallet may serve several keys. Amounts are micro-USDC.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { encode } from "effect/encoding/Base64Url"
import * as Schema from "effect/Schema"
import { MicroUsdcFromString } from "../ledger/MicroUsdc.ts"
import { Address } from "../chain/Address.ts"
import { type Hex32, hex32FromDigest } from "../encoding/Hex.ts"
import { hexDigits } from "../encoding/HexDigits.ts"

/**
 * Names a key to people, in paths, records and signed messages; no secret. Characters that need no escape in any of
 * them.
 */
export const ApiKeyId = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9._~-]{1,64}$/u)).pipe(Schema.brand("ApiKeyId"))
export type ApiKeyId = typeof ApiKeyId.Type

/**
 * What a key's owner calls it: one line of up to 100 characters. Control characters would reach an operator's terminal.
 */
export const ApiKeyLabel = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(100),
  Schema.isPattern(/^\P{C}+$/u)
)

export const ApiKey = Schema.Struct({
  id: ApiKeyId,
  /** What its owner calls it. */
  label: Schema.String,
  /** Whose app balance it may spend: an account of the settlement chain. */
  wallet: Schema.optionalKey(Address),
  /** What a request without a cap of its own may draw. */
  defaultCap: Schema.optionalKey(MicroUsdcFromString)
})
export type ApiKey = typeof ApiKey.Type

/** A name for a new key: `random` must hold at least eight bytes. */
export const makeApiKeyId = (random: Uint8Array): ApiKeyId => ApiKeyId.make(`key_${hexDigits(random.subarray(0, 8))}`)

/**
 * The text of a new key, which people and scanners of secrets recognise: `random` must be 32 bytes of secure
 * randomness.
 */
export const apiKeyText = (random: Uint8Array): string => `cwk_${encode(random)}`

/** What is stored of a key. A key is 32 random bytes, so that a plain hash cannot be guessed back. */
export const apiKeyHash = (text: string): Hex32 => hex32FromDigest(sha256(utf8ToBytes(text)))
