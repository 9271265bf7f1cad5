/** A key's webhooks and their log (WEBHOOK-1): definition only. All of it needs an x-api-key. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { LowBalance } from "../../../../src/domain/webhook/Webhook.ts"
import { SendFailure } from "../../../../src/domain/webhook/WebhookOutcome.ts"
import { bodyErrors, Defect, idempotencyHeader, neverStored, readErrors } from "../CommonErrors.ts"
import { NotFound } from "../pauses/PausesApi.ts"
import { BadRequest, QuoteUnauthorized, Unavailable } from "../quote/QuoteErrors.ts"
import { InputErrors } from "../status/StatusApi.ts"

const iso = (what: string) => Schema.String.annotate({ description: `ISO 8601: ${what}` })

const settings = {
  id: Schema.String,
  url: Schema.String,
  lowBalance: Schema.NullOr(
    Schema.String.annotate({ description: "USDC with 6 decimals: an available app balance below it is reported" })
  ),
  createdAt: iso("when it was made"),
  previousSecretUntil: Schema.NullOr(iso("until when the secret before the current one signs too; null when none does"))
}

export const WebhookRow = Schema.Struct(settings).annotate({ identifier: "Webhook" })
export type WebhookRow = typeof WebhookRow.Type

const secret = Schema.String.annotate({ description: "what every webhook is signed with: shown here and never again" })
export const WebhookWithSecret = Schema.Struct({ ...settings, secret }).annotate({ identifier: "WebhookWithSecret" })
export type WebhookWithSecret = typeof WebhookWithSecret.Type

export const WebhooksAnswer = Schema.Struct({ webhooks: Schema.Array(WebhookRow) }).annotate({ identifier: "Webhooks" })

const delivery = {
  id: Schema.String,
  webhookId: Schema.String,
  event: Schema.String,
  eventId: Schema.String.annotate({ description: "the `id` in the body: the same in every delivery of the event" }),
  requestId: Schema.NullOr(Schema.String),
  sequence: Schema.Int,
  state: Schema.Literals(["pending", "delivered", "failed"]),
  timestamp: Schema.Int.annotate({ description: "milliseconds: when it happened" }),
  createdAt: iso("when it came into the log"),
  nextTryAt: Schema.NullOr(iso("when it is tried next, at the earliest"))
}

export const DeliveryRow = Schema.Struct(delivery).annotate({ identifier: "WebhookDelivery" })
export type DeliveryRow = typeof DeliveryRow.Type

const TryRow = Schema.Struct({
  at: iso("when it began"),
  latencyMs: Schema.Int,
  status: Schema.NullOr(
    Schema.Int.annotate({ description: "what the receiver answered; of its body nothing is kept" })
  ),
  failure: Schema.NullOr(SendFailure.annotate({ description: "why there was no answer" }))
}).annotate({ identifier: "WebhookTry" })

export const DeliveriesAnswer = Schema.Struct({
  deliveries: Schema.Array(
    Schema.Struct({ ...delivery, tries: Schema.Array(TryRow).annotate({ description: "oldest first" }) })
  ),
  continuation: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "WebhookDeliveries" })
export type DeliveriesAnswer = typeof DeliveriesAnswer.Type

export const NewWebhook = Schema.Struct({
  url: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2_048)).annotate({
    description: "https; it must lead to a public address"
  }),
  lowBalance: Schema.optionalKey(
    LowBalance.annotate({
      description:
        "USDC with 6 decimals: \"app-balance.low\" is sent each time that the linked wallet's available balance falls below it"
    })
  )
}).annotate({ identifier: "NewWebhook" })
export type NewWebhook = typeof NewWebhook.Type

export const Rotation = Schema.Struct({
  overlapSeconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 604_800 })).annotate({
      description: "how long the secret before goes on signing too; a day when left out, 0 when it has leaked"
    })
  )
}).annotate({ identifier: "WebhookRotation" })
export type Rotation = typeof Rotation.Type

const Text = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(512))
const WebhookIdText = Text.annotate({
  description: "id of the webhook, as GET /webhooks has it: wh_ and 24 hex digits"
})
const Limit = Schema.NumberFromString.pipe(
  Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 })))
)

const apiKey = { "x-api-key": Schema.optionalKey(Schema.String) }
const errors = [BadRequest, QuoteUnauthorized, Unavailable] as const
const reading = [...errors, ...readErrors] as const
const writing = [...errors, Defect, ...bodyErrors] as const
const headers = { ...apiKey, ...idempotencyHeader }

export const WebhooksApi = HttpApiGroup.make("webhooks").add(
  HttpApiEndpoint.post("subscribe", "/webhooks", {
    headers,
    payload: NewWebhook,
    success: WebhookWithSecret,
    error: writing
  })
    .annotateMerge(OpenApi.annotations({
      identifier: "createWebhook",
      summary: "Send the key's events to a URL",
      description:
        `Every change of state of the key's requests, and its app balance when it runs low. At most five webhooks a key. ${neverStored}`
    })),
  HttpApiEndpoint.get("webhooks", "/webhooks", { headers: apiKey, success: WebhooksAnswer, error: reading })
    .annotateMerge(
      OpenApi.annotations({ identifier: "getWebhooks", summary: "The key's webhooks, without their secrets" })
    ),
  HttpApiEndpoint.delete("unsubscribe", "/webhooks/:id", {
    params: { id: WebhookIdText },
    headers: apiKey,
    success: WebhooksAnswer,
    error: [NotFound, ...reading]
  })
    .annotateMerge(
      OpenApi.annotations({
        identifier: "deleteWebhook",
        summary: "Remove a webhook with its log and its pending deliveries; answers with the remaining ones"
      })
    ),
  HttpApiEndpoint.post("rotate", "/webhooks/:id/secret", {
    params: { id: WebhookIdText },
    headers,
    payload: Rotation,
    success: WebhookWithSecret,
    error: [NotFound, ...writing]
  })
    .annotateMerge(OpenApi.annotations({
      identifier: "rotateWebhookSecret",
      summary: "Give a webhook a new secret",
      description:
        `Until the overlap ends, X-Signature-SHA256 is of the new secret and X-Signature-SHA256-Previous of the one before. ${neverStored}`
    })),
  HttpApiEndpoint.get("deliveries", "/webhooks/deliveries", {
    query: {
      limit: Schema.optionalKey(
        Limit.pipe(Schema.annotateEncoded({ description: "deliveries on a page, 1 to 50; 20 when left out" }))
      ),
      continuation: Schema.optionalKey(Text.annotate({ description: "that of the page before" }))
    },
    headers: apiKey,
    success: DeliveriesAnswer,
    error: reading
  }).annotateMerge(
    OpenApi.annotations({
      identifier: "getWebhookDeliveries",
      summary: "What was sent to the key's webhooks in the last 30 days, newest first, with every try"
    })
  ),
  HttpApiEndpoint.post("replay", "/webhooks/deliveries/:id/replay", {
    params: { id: Text.annotate({ description: "id of the delivery, as GET /webhooks/deliveries has it" }) },
    headers,
    success: DeliveryRow,
    error: [NotFound, ...writing]
  })
    .annotateMerge(OpenApi.annotations({
      identifier: "replayWebhookDelivery",
      summary: "Send an event once more",
      description: "A delivery of its own, at once, with the same id, sequence and body."
    }))
).middleware(InputErrors)
