/**
 * Stores webhooks and their secrets.
 *
 * SECURITY: secrets are used to sign, so they are stored sealed (`SecretSealing`) and not as hashes. No method returns
 * a secret, except for the deliveries that are signed with it (`WebhookDeliveries`).
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { Webhook, WebhookId } from "../../../src/domain/webhook/Webhook.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** The webhooks of API keys. No method returns a secret. */
export class Webhooks extends Context.Service<Webhooks, {
  /** False when the key already has `most` webhooks. */
  readonly add: (webhook: Webhook, secret: Redacted.Redacted, most: number) => Effect.Effect<boolean, StoreUnavailable>
  /** Oldest first. */
  readonly ofKey: (key: ApiKeyId) => Effect.Effect<ReadonlyArray<Webhook>, StoreUnavailable>
  /**
   * Sets a new secret. The previous one stays valid until the given time in milliseconds; older ones become invalid.
   * Undefined when the key has no such webhook.
   */
  readonly rotate: (
    key: ApiKeyId,
    id: WebhookId,
    secret: Redacted.Redacted,
    previousUntil: number
  ) => Effect.Effect<Webhook | undefined, StoreUnavailable>
  /** Also deletes its secrets, its deliveries and their log. False when the key has no such webhook. */
  readonly remove: (key: ApiKeyId, id: WebhookId) => Effect.Effect<boolean, StoreUnavailable>
}>()("causeway/ports/Webhooks") {}
