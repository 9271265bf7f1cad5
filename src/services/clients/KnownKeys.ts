/** Identifies the API key of a request. An unknown or revoked key is refused, never treated as no key (KEY-2). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ApiKeys } from "../../../ports/store/clients/ApiKeys.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { apiKeyHash } from "../../domain/api-key/ApiKey.ts"
import type { ApiKey } from "../../domain/api-key/ApiKey.ts"

/** The key that was sent does not exist, or has been revoked. SECURITY: carries nothing of it. */
export class UnknownKey extends Schema.TaggedError<UnknownKey>()("UnknownKey", {}) {
  override get message(): string {
    return "the x-api-key is unknown or revoked; leave the header out to go without"
  }
}

export class KnownKeys extends Context.Service<KnownKeys, {
  /** The key of a request's `x-api-key`; undefined when it sent none, or an empty one. */
  readonly identify: (text: string | undefined) => Effect.Effect<ApiKey | undefined, UnknownKey | StoreUnavailable>
}>()("causeway/services/KnownKeys") {}

export const layer = Layer.effect(
  KnownKeys,
  Effect.gen(function*() {
    const keys = yield* ApiKeys
    return KnownKeys.of({
      identify: Effect.fnUntraced(function*(text) {
        if (text === undefined || text === "") return undefined
        return (yield* keys.find(apiKeyHash(text))) ?? (yield* new UnknownKey())
      })
    })
  })
)
