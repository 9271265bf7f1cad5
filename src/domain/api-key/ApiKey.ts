/**
 * API keys. Only a key's hash is stored, never its text (KEY-1).
 *
 * A key has at most one linked wallet. A wallet may serve several keys. Amounts are micro-USDC.
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
 * The public id of a key, in paths, records and signed messages. Not a secret. Its characters need no escaping in any
 * of them.
 */
export const ApiKeyId = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9._~-]{1,64}$/u, { expected: "1 to 64 letters, digits, or ._~-" })
).pipe(Schema.brand("ApiKeyId"))
export type ApiKeyId = typeof ApiKeyId.Type

/**
 * The label that the owner gives a key: one line of up to 100 characters. Control characters are refused, as they would
 * reach an operator's terminal.
 */
export const ApiKeyLabel = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(100),
  Schema.isPattern(/^\P{C}+$/u, { expected: "a text without control characters" })
)

export const ApiKey = Schema.Struct({
  id: ApiKeyId,
  /** The label that the owner gave it. */
  label: Schema.String,
  /** The wallet whose owner made the key in the dashboard, and may rotate, limit and revoke it (DASH-4). */
  owner: Schema.optionalKey(Address),
  /** The wallet whose app balance the key may spend: an account of the settlement chain. */
  wallet: Schema.optionalKey(Address),
  /** The most that a request may draw when it sets no cap of its own. */
  defaultCap: Schema.optionalKey(MicroUsdcFromString)
})
export type ApiKey = typeof ApiKey.Type

/** An id for a new key. `random` must hold at least eight bytes. */
export const makeApiKeyId = (random: Uint8Array): ApiKeyId => ApiKeyId.make(`key_${hexDigits(random.subarray(0, 8))}`)

/**
 * The text of a new key. Its prefix lets people and secret scanners recognise it. `random` must be 32 bytes of secure
 * randomness.
 */
export const apiKeyText = (random: Uint8Array): string => `cwk_${encode(random)}`

/** The hash that is stored of a key. A key is 32 random bytes, so a plain hash cannot be reversed by guessing. */
export const apiKeyHash = (text: string): Hex32 => hex32FromDigest(sha256(utf8ToBytes(text)))
