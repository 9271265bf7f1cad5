/**
 * Where an API key's events are sent, and below which balance a low-balance event is sent. Secrets are not included:
 * they are shown once.
 */
import * as Schema from "effect/Schema"
import { ApiKeyId } from "../api-key/ApiKey.ts"
import { MicroUsdc } from "../ledger/MicroUsdc.ts"

/** Identifies a webhook to its key; not a secret. */
export const WebhookId = Schema.String.check(
  Schema.isPattern(/^wh_[0-9a-f]{24}$/u, { expected: "wh_ and 24 hex digits" })
).pipe(Schema.brand("WebhookId"))
export type WebhookId = typeof WebhookId.Type

/** The largest value at which the database can still compare the ledger's sums. */
const MAX_MICRO_USDC = 10n ** 18n

/** A threshold as requested and stored: digits, greater than zero. */
export const LowBalance = Schema.String.check(
  Schema.isPattern(/^[1-9][0-9]{0,18}$/u, { expected: "digits only: micro-USDC above zero" })
).pipe(
  Schema.decodeTo(Schema.BigIntFromString),
  Schema.check(Schema.isLessThanOrEqualToBigInt(MAX_MICRO_USDC)),
  Schema.fromBrand("MicroUsdc", MicroUsdc)
)

/** Where an API key's events are sent, and which. */
export const Webhook = Schema.Struct({
  id: WebhookId,
  apiKeyId: ApiKeyId,
  url: Schema.String,
  /** An event is sent each time the available balance falls below this. */
  lowBalance: Schema.optionalKey(LowBalance),
  /** Milliseconds: until when the previous secret also signs. */
  previousUntil: Schema.optionalKey(Schema.Int),
  /** Milliseconds. */
  createdAt: Schema.Int
})
export type Webhook = typeof Webhook.Type

/** Maximum webhooks of one key. More than a key needs would only multiply what is sent. */
export const MAX_WEBHOOKS = 5
