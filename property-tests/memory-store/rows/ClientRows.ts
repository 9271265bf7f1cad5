/** Rows of what is stored for the callers of the API. Times are in milliseconds. */
import type { KeptApiKey } from "../../../ports/store/clients/ApiKeys.ts"
import type { IdempotencySlot, StoredAnswer } from "../../../ports/store/clients/IdempotentAnswers.ts"
import type { Delivery, WebhookTry } from "../../../ports/store/clients/WebhookDeliveries.ts"
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { Webhook } from "../../../src/domain/webhook/Webhook.ts"
import type * as Redacted from "effect/Redacted"

export interface ApiKeyRow extends Omit<KeptApiKey, "rotatingUntil"> {
  readonly hash: Hex32
  readonly previous: { readonly hash: Hex32; readonly until: number } | undefined
}

export interface AnswerRow extends IdempotencySlot {
  readonly bodyHash: string
  readonly claimedAt: number
  readonly answer: StoredAnswer | undefined
}

export interface WebhookRow {
  readonly key: ApiKeyId
  readonly webhook: Webhook
  readonly secret: Redacted.Redacted
  readonly previous: { readonly secret: Redacted.Redacted; readonly until: number } | undefined
  readonly balanceSequence: number
}

export interface DeliveryRow extends Omit<Delivery, "dueAt"> {
  readonly key: ApiKeyId
  /** Deliveries of one queue are sent in the order of their sequences. */
  readonly queue: string
  readonly dueAt: number
  readonly body: string | null
  readonly tries: ReadonlyArray<WebhookTry>
  readonly leasedUntil: number
}
