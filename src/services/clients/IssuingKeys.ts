/**
 * The operator makes, lists, rotates and revokes API keys (KEY-1).
 *
 * SECURITY: a key's text leaves this module once, to the caller that asked for it; only its hash is stored. A rotated
 * key has two valid texts for a while, never three. A revoked key is refused from the next request on, permanently,
 * with both of its texts.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { ApiKeys } from "../../../ports/store/clients/ApiKeys.ts"
import type { KeptApiKey } from "../../../ports/store/clients/ApiKeys.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { apiKeyHash, apiKeyText, makeApiKeyId } from "../../domain/api-key/ApiKey.ts"
import type { ApiKey, ApiKeyId } from "../../domain/api-key/ApiKey.ts"
import type { Address } from "../../domain/chain/Address.ts"

/** A key with its new text. The text is not available again later. */
export interface IssuedKey {
  readonly text: Redacted.Redacted
}

/** A rotated key. Its previous text stays valid until `previousUntil` (milliseconds). */
export interface RotatedKey extends IssuedKey {
  readonly previousUntil: number
}

export class IssuingKeys extends Context.Service<IssuingKeys, {
  /** A new key, of a wallet or of nobody but the operator. */
  readonly create: (
    label: string,
    owner?: Address
  ) => Effect.Effect<IssuedKey & { readonly key: ApiKey }, StoreUnavailable>
  /** Every key, oldest first, including revoked ones. */
  readonly all: Effect.Effect<ReadonlyArray<KeptApiKey>, StoreUnavailable>
  /** A new text for the key; undefined when the key does not exist or is revoked. */
  readonly rotate: (id: ApiKeyId, overlapSeconds: number) => Effect.Effect<RotatedKey | undefined, StoreUnavailable>
  /** When the key was revoked, now or earlier (milliseconds); undefined when it does not exist. */
  readonly revoke: (id: ApiKeyId) => Effect.Effect<number | undefined, StoreUnavailable>
}>()("causeway/services/IssuingKeys") {}

export const layer = Layer.effect(
  IssuingKeys,
  Effect.gen(function*() {
    const keys = yield* ApiKeys
    const random = yield* SecureRandom
    const newText = Effect.map(
      random.randomBytes(32),
      (bytes) => Redacted.make(apiKeyText(bytes), { label: "api-key" })
    )
    const hashOf = (text: Redacted.Redacted) => apiKeyHash(Redacted.value(text))

    const create = Effect.fn("IssuingKeys.create")(function*(label: string, owner?: Address) {
      const text = yield* newText
      const key: ApiKey = {
        id: makeApiKeyId(yield* random.randomBytes(8)),
        label,
        ...(owner === undefined ? {} : { owner })
      }
      yield* keys.add(key, hashOf(text), yield* Clock.currentTimeMillis)
      yield* Effect.logInfo(`api key ${key.id} was made`)
      return { key, text }
    })

    const rotate = Effect.fn("IssuingKeys.rotate")(function*(id: ApiKeyId, overlapSeconds: number) {
      const text = yield* newText
      const previousUntil = (yield* Clock.currentTimeMillis) + overlapSeconds * 1000
      if (!(yield* keys.rotate(id, hashOf(text), previousUntil))) return undefined
      yield* Effect.logInfo(`api key ${id} was rotated`)
      return { text, previousUntil }
    })

    const revoke = Effect.fn("IssuingKeys.revoke")(function*(id: ApiKeyId) {
      const at = yield* keys.revoke(id, yield* Clock.currentTimeMillis)
      if (at !== undefined) yield* Effect.logWarning(`api key ${id} is revoked`)
      return at
    })

    return IssuingKeys.of({ create, all: keys.all, rotate, revoke })
  })
)
