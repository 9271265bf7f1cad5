/**
 * Where webhooks and their secrets are kept. SECURITY: secrets sign, so that they are kept sealed (`SecretSealing`) and
 * not as hashes; no method answers one, but the deliveries that are signed with it (`WebhookDeliveries`).
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { Webhook, WebhookId } from "../../../src/domain/webhook/Webhook.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

export class Webhooks extends Context.Service<Webhooks, {
  /** False when the key has `most` of them already. */
  readonly add: (webhook: Webhook, secret: Redacted.Redacted, most: number) => Effect.Effect<boolean, StoreUnavailable>
  /** Oldest first. */
  readonly ofKey: (key: ApiKeyId) => Effect.Effect<ReadonlyArray<Webhook>, StoreUnavailable>
  /**
   * A new secret; the one before is valid until then, in milliseconds, and any older one no more. Undefined when the
   * key has no such webhook.
   */
  readonly rotate: (
    key: ApiKeyId,
    id: WebhookId,
    secret: Redacted.Redacted,
    previousUntil: number
  ) => Effect.Effect<Webhook | undefined, StoreUnavailable>
  /** With its secrets, its deliveries and their log; false when the key has no such webhook. */
  readonly remove: (key: ApiKeyId, id: WebhookId) => Effect.Effect<boolean, StoreUnavailable>
}>()("causeway/ports/Webhooks") {}
