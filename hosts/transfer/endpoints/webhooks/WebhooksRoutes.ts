/** A key's webhooks: POST, GET and DELETE /webhooks, their secrets, their log and replays. */
import { Effect, Layer, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { StoreUnavailable } from "../../../../ports/store/StoreUnavailable.ts"
import type { Delivery, LoggedDelivery } from "../../../../ports/store/clients/WebhookDeliveries.ts"
import type { Webhook } from "../../../../src/domain/webhook/Webhook.ts"
import { eventName } from "../../../../src/domain/webhook/WebhookFact.ts"
import { NoSuchWebhook, Subscribing, SubscriptionRefused } from "../../../../src/services/notifying/Subscribing.ts"
import type { WithSecret } from "../../../../src/services/notifying/Subscribing.ts"
import { NotFound } from "../pauses/PausesApi.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import type { QuoteUnauthorized } from "../quote/QuoteErrors.ts"
import { TransferApi } from "../TransferApi.ts"
import type { DeliveriesAnswer, DeliveryRow, NewWebhook, Rotation, WebhookRow } from "./WebhooksApi.ts"
import { neededKey } from "../../middleware/ApiKey.ts"
import { secretAnswer } from "../SecretAnswer.ts"
import { inputErrors } from "../status/StatusRoutes.ts"

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()

const row = ({ createdAt, id, lowBalance, previousUntil, url }: Webhook): WebhookRow => ({
  id,
  url,
  lowBalance: lowBalance?.toString() ?? null,
  createdAt: iso(createdAt),
  previousSecretUntil: previousUntil === undefined ? null : iso(previousUntil)
})

const withSecret = ({ secret, webhook }: WithSecret) =>
  secretAnswer({ ...row(webhook), secret: Redacted.value(secret) })

const deliveryRow = (
  { at, createdAt, dueAt, eventId, fact, id, sequence, state, webhookId }: Delivery
): DeliveryRow => ({
  id,
  webhookId,
  event: eventName(fact),
  eventId,
  requestId: fact._tag === "RequestUpdated" ? fact.request : null,
  sequence,
  state,
  timestamp: at,
  createdAt: iso(createdAt),
  nextTryAt: dueAt === null ? null : iso(dueAt)
})

const loggedRow = ({ tries, ...delivery }: LoggedDelivery): DeliveriesAnswer["deliveries"][number] => ({
  ...deliveryRow(delivery),
  tries: tries.map(({ at, latency, outcome }) => ({
    at: iso(at),
    latencyMs: latency,
    status: outcome._tag === "Answered" ? outcome.status : null,
    failure: outcome._tag === "Failed" ? outcome.failure : null
  }))
})

const keyId = Effect.map(neededKey("webhooks belong to an API key: send it as x-api-key"), ({ id }) => id)

const ONE_DAY = 86_400
const USUAL_LIMIT = 20

const known = (error: QuoteUnauthorized | SubscriptionRefused | StoreUnavailable) => {
  if (error instanceof StoreUnavailable) return new Unavailable({ message: error.message })
  return error instanceof SubscriptionRefused ? new BadRequest({ message: error.message }) : error
}

const knownOrNot = (error: QuoteUnauthorized | NoSuchWebhook | StoreUnavailable) => {
  if (error instanceof StoreUnavailable) return new Unavailable({ message: error.message })
  return error instanceof NoSuchWebhook ? new NotFound({ message: "the key has nothing with this id" }) : error
}

interface Named {
  readonly params: { readonly id: string }
}

export const layer = HttpApiBuilder.group(
  TransferApi,
  "webhooks",
  Effect.fn(function*(handlers) {
    const subscribing = yield* Subscribing

    const all = Effect.map(Effect.flatMap(keyId, subscribing.all), (webhooks) => ({ webhooks: webhooks.map(row) }))

    const subscribe = Effect.fn("http.subscribe")(function*({ payload }: { readonly payload: NewWebhook }) {
      return withSecret(yield* subscribing.subscribe(yield* keyId, payload))
    }, Effect.mapError(known))

    const rotate = Effect.fn("http.rotate")(function*({ params, payload }: Named & { readonly payload: Rotation }) {
      return withSecret(yield* subscribing.rotate(yield* keyId, params.id, payload.overlapSeconds ?? ONE_DAY))
    }, Effect.mapError(knownOrNot))

    const unsubscribe = Effect.fn("http.unsubscribe")(function*({ params }: Named) {
      yield* subscribing.remove(yield* keyId, params.id)
      return yield* all
    }, Effect.mapError(knownOrNot))

    const deliveries = Effect.fn("http.deliveries")(function*(
      { query }: { readonly query: { readonly limit?: number; readonly continuation?: string } }
    ) {
      const page = yield* subscribing.deliveries(yield* keyId, query.continuation, query.limit ?? USUAL_LIMIT)
      return { ...page, deliveries: page.deliveries.map(loggedRow) }
    }, Effect.mapError(known))

    const replay = Effect.fn("http.replay")(function*({ params }: Named) {
      return deliveryRow(yield* subscribing.replay(yield* keyId, params.id))
    }, Effect.mapError(knownOrNot))

    return handlers.handleAll({
      subscribe,
      webhooks: () => Effect.mapError(all, known),
      unsubscribe,
      rotate,
      deliveries,
      replay
    })
  })
).pipe(Layer.provide(inputErrors))
