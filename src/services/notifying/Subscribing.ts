/** A key's webhooks: create, list, rotate the secret, delete, list deliveries and replay them (WEBHOOK-1). */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Base64Url from "effect/encoding/Base64Url"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { WebhookDeliveries } from "../../../ports/store/clients/WebhookDeliveries.ts"
import type { Delivery, LoggedDelivery } from "../../../ports/store/clients/WebhookDeliveries.ts"
import { Webhooks } from "../../../ports/store/clients/Webhooks.ts"
import type { ApiKeyId } from "../../domain/api-key/ApiKey.ts"
import type { MicroUsdc } from "../../domain/ledger/MicroUsdc.ts"
import { makeContinuation, readContinuation } from "../../domain/timeline/history/Continuation.ts"
import { MAX_WEBHOOKS, WebhookId } from "../../domain/webhook/Webhook.ts"
import type { Webhook } from "../../domain/webhook/Webhook.ts"
import { parseWebhookUrl } from "../../domain/webhook/WebhookUrl.ts"
import type { WebhookReach } from "../../domain/webhook/WebhookUrl.ts"
import { hexDigits } from "../../domain/encoding/HexDigits.ts"

/** Nothing was done; `message` tells the caller why. */
export class SubscriptionRefused
  extends Schema.TaggedError<SubscriptionRefused>()("SubscriptionRefused", { message: Schema.String })
{}

/** The key has no webhook or delivery with this id. */
export class NoSuchWebhook extends Schema.TaggedError<NoSuchWebhook>()("NoSuchWebhook", {}) {}

/** A webhook that a key asks for. `lowBalance`: also report when the app balance falls below this. */
export interface AskedWebhook {
  readonly url: string
  readonly lowBalance?: MicroUsdc
}

/** A webhook with its secret, which is shown only once. */
export interface WithSecret {
  readonly webhook: Webhook
  readonly secret: Redacted.Redacted
}

/** A page of the delivery log, newest first. */
export interface DeliveriesPage {
  readonly deliveries: ReadonlyArray<LoggedDelivery>
  /** Absent after the last row. */
  readonly continuation?: string
}

export class Subscribing extends Context.Service<Subscribing, {
  readonly subscribe: (
    key: ApiKeyId,
    asked: AskedWebhook
  ) => Effect.Effect<WithSecret, SubscriptionRefused | StoreUnavailable>
  /** Oldest first. */
  readonly all: (key: ApiKeyId) => Effect.Effect<ReadonlyArray<Webhook>, StoreUnavailable>
  /** Makes a new secret. The previous one signs as well for `overlapSeconds`. */
  readonly rotate: (
    key: ApiKeyId,
    id: string,
    overlapSeconds: number
  ) => Effect.Effect<WithSecret, NoSuchWebhook | StoreUnavailable>
  readonly remove: (key: ApiKeyId, id: string) => Effect.Effect<void, NoSuchWebhook | StoreUnavailable>
  /** Newest first. */
  readonly deliveries: (
    key: ApiKeyId,
    continuation: string | undefined,
    limit: number
  ) => Effect.Effect<DeliveriesPage, SubscriptionRefused | StoreUnavailable>
  /** Sends the same event again, at once. */
  readonly replay: (key: ApiKeyId, delivery: string) => Effect.Effect<Delivery, NoSuchWebhook | StoreUnavailable>
}>()("causeway/services/Subscribing") {}

export const layer = ({ reach }: { readonly reach: WebhookReach }) =>
  Layer.effect(
    Subscribing,
    Effect.gen(function*() {
      const webhooks = yield* Webhooks
      const log = yield* WebhookDeliveries
      const random = yield* SecureRandom

      // The prefix lets secret scanners find a secret that leaks into a log or a repository.
      const newSecret = Effect.map(random.randomBytes(32), (bytes) =>
        Redacted.make(`whsec_${Base64Url.encode(bytes)}`, { label: "webhook-secret" }))

      const subscribe = Effect.fn("Subscribing.subscribe")(function*(key: ApiKeyId, { lowBalance, url }: AskedWebhook) {
        const parsed = parseWebhookUrl(reach, url)
        if (Result.isFailure(parsed)) {
          return yield* new SubscriptionRefused({ message: parsed.failure.message })
        }
        const webhook: Webhook = {
          id: WebhookId.make(`wh_${hexDigits(yield* random.randomBytes(12))}`),
          apiKeyId: key,
          url: parsed.success.href,
          ...(lowBalance === undefined ? {} : { lowBalance }),
          createdAt: yield* Clock.currentTimeMillis
        }
        const secret = yield* newSecret
        const added = yield* webhooks.add(webhook, secret, MAX_WEBHOOKS)
        return added
          ? { webhook, secret }
          : yield* new SubscriptionRefused({ message: `a key may have ${MAX_WEBHOOKS} webhooks: remove one first` })
      })

      const rotate = Effect.fn("Subscribing.rotate")(function*(key: ApiKeyId, id: string, overlapSeconds: number) {
        const secret = yield* newSecret
        const until = (yield* Clock.currentTimeMillis) + overlapSeconds * 1_000
        const webhook = Schema.is(WebhookId)(id) ? yield* webhooks.rotate(key, id, secret, until) : undefined
        return webhook === undefined ? yield* new NoSuchWebhook() : { webhook, secret }
      })

      const remove = Effect.fn("Subscribing.remove")(function*(key: ApiKeyId, id: string) {
        const removed = Schema.is(WebhookId)(id) && (yield* webhooks.remove(key, id))
        if (!removed) {
          return yield* new NoSuchWebhook()
        }
      })

      const deliveries = Effect.fn("Subscribing.deliveries")(
        function*(key: ApiKeyId, continuation: string | undefined, limit: number) {
          const scope = `deliveries ${key}`
          const after = continuation === undefined ? undefined : readContinuation(scope, continuation)
          if (continuation !== undefined && after === undefined) {
            return yield* new SubscriptionRefused({
              message: "continuation must be that of an answer under the same key"
            })
          }
          // One more than is shown, to know whether there are more.
          const found = yield* log.page(key, after, limit + 1)
          const shown = found.slice(0, limit)
          const last = shown.at(-1)
          return found.length <= limit || last === undefined
            ? { deliveries: shown }
            : { deliveries: shown, continuation: makeContinuation(scope, { at: last.createdAt, id: last.id }) }
        }
      )

      const replay = Effect.fn("Subscribing.replay")(function*(key: ApiKeyId, delivery: string) {
        // Ids are plain ASCII. A store may fail on text that is not valid.
        const again = /^[!-~]+$/u.test(delivery)
          ? yield* log.replay(key, delivery, yield* Clock.currentTimeMillis)
          : undefined
        return again ?? (yield* new NoSuchWebhook())
      })

      return Subscribing.of({ subscribe, all: webhooks.ofKey, rotate, remove, deliveries, replay })
    })
  )
