/** Where an API key's events are told, and from which balance on. Secrets are no part of it: they are shown once. */
import * as Schema from "effect/Schema"
import { ApiKeyId } from "../api-key/ApiKey.ts"
import { MicroUsdc } from "../ledger/MicroUsdc.ts"

/** Names a webhook to its key; no secret. */
export const WebhookId = Schema.String.check(Schema.isPattern(/^wh_[0-9a-f]{24}$/u)).pipe(Schema.brand("WebhookId"))
export type WebhookId = typeof WebhookId.Type

/** As large as the ledger's sums can be compared by the database. */
const MAX_MICRO_USDC = 10n ** 18n

/** A threshold as it is asked for and kept: digits, more than nothing. */
export const LowBalance = Schema.String.check(Schema.isPattern(/^[1-9][0-9]{0,18}$/u)).pipe(
  Schema.decodeTo(Schema.BigIntFromString),
  Schema.check(Schema.isLessThanOrEqualToBigInt(MAX_MICRO_USDC)),
  Schema.fromBrand("MicroUsdc", MicroUsdc)
)

export const Webhook = Schema.Struct({
  id: WebhookId,
  apiKeyId: ApiKeyId,
  url: Schema.String,
  /** An available balance below this is told once each time that it is crossed. */
  lowBalance: Schema.optionalKey(LowBalance),
  /** Milliseconds: until when the secret before the current one signs too. */
  previousUntil: Schema.optionalKey(Schema.Int),
  /** Milliseconds. */
  createdAt: Schema.Int
})
export type Webhook = typeof Webhook.Type

/** More webhooks a key than anybody needs would only multiply what is sent. */
export const MAX_WEBHOOKS = 5
