/**
 * An API key as it is known here: by its hash, never by its text (spec/3 §8).
 *
 * A key has at most one linked wallet; a wallet may serve several keys. Amounts are micro-USDC.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Schema from "effect/Schema"
import { MicroUsdcFromString } from "../app-balance/MicroUsdc.ts"
import { Address } from "../chain/Address.ts"
import { type Hex32, hex32FromDigest } from "../chain/Hex.ts"

/** Names a key to people and in records; no secret. */
export const ApiKeyId = Schema.NonEmptyString.check(Schema.isMaxLength(64)).pipe(Schema.brand("ApiKeyId"))
export type ApiKeyId = typeof ApiKeyId.Type

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

/** What is stored of a key. A key is 32 random bytes, so that a plain hash cannot be guessed back. */
export const apiKeyHash = (text: string): Hex32 => hex32FromDigest(sha256(utf8ToBytes(text)))
