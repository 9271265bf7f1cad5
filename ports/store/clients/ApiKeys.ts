/** Stores API keys by the hashes of their texts. Every change applies from the next request on, in every process. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ApiKey, ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** A key with its history, as operators see it. Times are in milliseconds. */
export interface KeptApiKey {
  readonly key: ApiKey
  readonly createdAt: number
  /** The time since when it is revoked; undefined while it is valid. */
  readonly revokedAt: number | undefined
  /** Until when the text from before the last rotation stays valid beside the current one. */
  readonly rotatingUntil: number | undefined
}

/** API keys by the hash of their text, with rights, limits and wallets. */
export class ApiKeys extends Context.Service<ApiKeys, {
  /** Durable once it returns. `at` in milliseconds. */
  readonly add: (key: ApiKey, hash: Hex32, at: number) => Effect.Effect<void, StoreUnavailable>
  /**
   * The key with this hash, as of now. A key that is revoked, or a text that was replaced and whose overlap is over, is
   * not found.
   */
  readonly find: (hash: Hex32) => Effect.Effect<ApiKey | undefined, StoreUnavailable>
  /** The keys that a wallet owns, or whose fees it pays: oldest first, including revoked ones. */
  readonly ofWallet: (wallet: Address) => Effect.Effect<ReadonlyArray<KeptApiKey>, StoreUnavailable>
  /** Every key, oldest first, including revoked ones. */
  readonly all: Effect.Effect<ReadonlyArray<KeptApiKey>, StoreUnavailable>
  /**
   * Gives the key a new text. The current text stays valid until `previousUntil` (milliseconds); the one before it
   * becomes invalid at once. False when there is no such key or it is revoked.
   */
  readonly rotate: (id: ApiKeyId, hash: Hex32, previousUntil: number) => Effect.Effect<boolean, StoreUnavailable>
  /** When the key was revoked, by this call or before; undefined when there is no such key. */
  readonly revoke: (id: ApiKeyId, at: number) => Effect.Effect<number | undefined, StoreUnavailable>
  /**
   * Links the key to this wallet, in place of any other, and returns the key; undefined when it does not exist or is
   * revoked.
   */
  readonly link: (id: ApiKeyId, wallet: Address) => Effect.Effect<ApiKey | undefined, StoreUnavailable>
  /** Removes the key's wallet. Idempotent. */
  readonly unlink: (id: ApiKeyId) => Effect.Effect<void, StoreUnavailable>
  /** Removes this wallet from the named key, or from all of its keys. Returns the keys that had it. */
  readonly unlinkWallet: (
    wallet: Address,
    only: ApiKeyId | undefined
  ) => Effect.Effect<ReadonlyArray<ApiKeyId>, StoreUnavailable>
}>()("causeway/ports/ApiKeys") {}
