/**
 * What is to be told to webhooks, and every try to tell it. A delivery is written in the transaction of what it tells
 * (`Transfers.move`, `Ledger.post`), so that a crash loses none; workers claim deliveries for a time.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { Position } from "../../../src/domain/timeline/history/Continuation.ts"
import type { WebhookId } from "../../../src/domain/webhook/Webhook.ts"
import type { WebhookFact } from "../../../src/domain/webhook/WebhookFact.ts"
import type { SendOutcome } from "../../../src/domain/webhook/WebhookOutcome.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** `failed`: given up after its last try. */
export type DeliveryState = "pending" | "delivered" | "failed"

/** One sending and what came of it. */
export interface WebhookTry {
  /** Milliseconds. */
  readonly at: number
  /** Milliseconds until the answer's headers. */
  readonly latency: number
  readonly outcome: SendOutcome
}

/** One event, on its way to one webhook. */
export interface Delivery {
  readonly id: string
  readonly webhookId: WebhookId
  readonly eventId: string
  readonly sequence: number
  readonly fact: WebhookFact
  /** Milliseconds: when it happened. */
  readonly at: number
  readonly state: DeliveryState
  /** Milliseconds: when it is tried next; null when it is not. */
  readonly dueAt: number | null
  /** Milliseconds: its place in the log. */
  readonly createdAt: number
}

/** A delivery with its tries. */
export interface LoggedDelivery extends Delivery {
  /** Oldest first. */
  readonly tries: ReadonlyArray<WebhookTry>
}

/** A delivery that nobody else has for a time, with what sending it takes. */
export interface ClaimedDelivery extends Delivery {
  readonly url: string
  /**
   * The secrets that are valid now, the current one first; undefined when the store's does not open with the keys at
   * hand.
   */
  readonly secrets: readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>] | undefined
  /** The body of the tries before; null on the first. */
  readonly body: string | null
  /** Tries that have ended. */
  readonly tried: number
  /** Milliseconds: names the claim. */
  readonly leasedUntil: number
}

/** What is noted at the end of a try. */
export interface ConcludedTry extends WebhookTry {
  readonly body: string | null
  /** Milliseconds when it is tried again; the state otherwise. */
  readonly next: number | "delivered" | "failed"
}

export class WebhookDeliveries extends Context.Service<WebhookDeliveries, {
  /**
   * Deliveries that are due and that nobody else has, at most `limit`, of keys that are not revoked, and none of the
   * webhooks that are `busy`. Of a request only the first that is neither delivered nor failed, so that its events keep
   * their order.
   */
  readonly claim: (
    now: number,
    leasedUntil: number,
    limit: number,
    busy: ReadonlyArray<WebhookId>
  ) => Effect.Effect<ReadonlyArray<ClaimedDelivery>, StoreUnavailable>
  /** Notes a try and frees the delivery; false when the claim has run out and another has it. */
  readonly conclude: (claimed: ClaimedDelivery, ended: ConcludedTry) => Effect.Effect<boolean, StoreUnavailable>
  /** A key's deliveries, newest first, from after a position on. */
  readonly page: (
    key: ApiKeyId,
    after: Position | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<LoggedDelivery>, StoreUnavailable>
  /**
   * The same event once more, as a delivery of its own that waits for no other; undefined when the key has no such
   * delivery.
   */
  readonly replay: (key: ApiKeyId, id: string, at: number) => Effect.Effect<Delivery | undefined, StoreUnavailable>
  /** Forgets what was noted before then, in milliseconds: tries and all. */
  readonly forgetBefore: (at: number) => Effect.Effect<void, StoreUnavailable>
}>()("causeway/ports/WebhookDeliveries") {}
