/**
 * Where API keys are kept, by the hashes of their texts. Every change holds from the next request on, in every process.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ApiKey, ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** A key with its history, as operators see it. Times in milliseconds. */
export interface KeptApiKey {
  readonly key: ApiKey
  readonly createdAt: number
  /** Since when it is good for nothing. */
  readonly revokedAt: number | undefined
  /** Until when its text before the last rotation is valid beside the present one. */
  readonly rotatingUntil: number | undefined
}

export class ApiKeys extends Context.Service<ApiKeys, {
  /** Durable once it returns. `at` in milliseconds. */
  readonly add: (key: ApiKey, hash: Hex32, at: number) => Effect.Effect<void, StoreUnavailable>
  /**
   * The key with this hash, as of now: one that is revoked, or was replaced and whose overlap is over, is found no
   * more.
   */
  readonly find: (hash: Hex32) => Effect.Effect<ApiKey | undefined, StoreUnavailable>
  /** Every key, oldest first, the revoked ones too. */
  readonly all: Effect.Effect<ReadonlyArray<KeptApiKey>, StoreUnavailable>
  /**
   * Gives the key another text; its present one stays valid until `previousUntil` (milliseconds), and the one before
   * that no longer. False when there is no such key or it is revoked.
   */
  readonly rotate: (id: ApiKeyId, hash: Hex32, previousUntil: number) => Effect.Effect<boolean, StoreUnavailable>
  /** When it was revoked, by this call or before; undefined when there is no such key. */
  readonly revoke: (id: ApiKeyId, at: number) => Effect.Effect<number | undefined, StoreUnavailable>
  /** The key as linked to this wallet, in place of any other; undefined when it does not exist or is revoked. */
  readonly link: (id: ApiKeyId, wallet: Address) => Effect.Effect<ApiKey | undefined, StoreUnavailable>
  /** Takes the key's wallet from it. Doing it twice is doing it once. */
  readonly unlink: (id: ApiKeyId) => Effect.Effect<void, StoreUnavailable>
  /** Takes this wallet from the key that is named, or from all of its keys: those that had it. */
  readonly unlinkWallet: (
    wallet: Address,
    only: ApiKeyId | undefined
  ) => Effect.Effect<ReadonlyArray<ApiKeyId>, StoreUnavailable>
}>()("causeway/ports/ApiKeys") {}
