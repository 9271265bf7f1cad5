/**
 * An answer that shows a secret once: the text of an API key, or a webhook's signing secret.
 *
 * SECURITY: no-store keeps the secret out of caches, and out of the answers that are stored for an Idempotency-Key.
 */
import { HttpServerResponse } from "effect/http"
import type { NewKey, RotatedKey } from "./keys/KeysApi.ts"
import type { WebhookWithSecret } from "./webhooks/WebhooksApi.ts"

export const secretAnswer = (body: typeof NewKey.Type | typeof RotatedKey.Type | WebhookWithSecret) =>
  HttpServerResponse.jsonUnsafe(body, { headers: { "cache-control": "no-store" } })
