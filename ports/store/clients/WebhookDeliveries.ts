/**
 * Webhook deliveries and their attempts. A delivery is written in the transaction of the change that it reports
 * (`Transfers.move`, `Ledger.post`), so a crash loses none. Workers claim deliveries for a limited time.
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

/** `failed`: given up after the last attempt. */
export type DeliveryState = "pending" | "delivered" | "failed"

/** One attempt and its outcome. */
export interface WebhookTry {
  /** Milliseconds. */
  readonly at: number
  /** Milliseconds until the answer's headers. */
  readonly latency: number
  readonly outcome: SendOutcome
}

/** One event for one webhook. */
export interface Delivery {
  readonly id: string
  readonly webhookId: WebhookId
  readonly eventId: string
  readonly sequence: number
  readonly fact: WebhookFact
  /** Milliseconds: when the event happened. */
  readonly at: number
  readonly state: DeliveryState
  /** Milliseconds: the time of the next attempt; null when there will be none. */
  readonly dueAt: number | null
  /** Milliseconds: its position in the log. */
  readonly createdAt: number
}

/** A delivery with its attempts. */
export interface LoggedDelivery extends Delivery {
  /** Oldest first. */
  readonly tries: ReadonlyArray<WebhookTry>
}

/** A delivery that one worker has claimed for a limited time, with what is needed to send it. */
export interface ClaimedDelivery extends Delivery {
  readonly url: string
  /**
   * The secrets that are valid now, the current one first; undefined when the stored secret does not open with the keys
   * of this process.
   */
  readonly secrets: readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>] | undefined
  /** The body of earlier attempts; null on the first attempt. */
  readonly body: string | null
  /** The number of finished attempts. */
  readonly tried: number
  /** Milliseconds: identifies the claim. */
  readonly leasedUntil: number
}

/** What is recorded when an attempt ends. */
export interface ConcludedTry extends WebhookTry {
  readonly body: string | null
  /** The time of the next attempt in milliseconds, or the final state. */
  readonly next: number | "delivered" | "failed"
}

/**
 * Webhooks to be sent, in order for each request, with all tries. One that is claimed is sent by one process at a time.
 */
export class WebhookDeliveries extends Context.Service<WebhookDeliveries, {
  /**
   * At most `limit` deliveries that are due and not claimed by another worker. Only for keys that are not revoked, and
   * not for webhooks in `busy`. For each request, only the first one that is neither delivered nor failed, so that its
   * events stay in order.
   */
  readonly claim: (
    now: number,
    leasedUntil: number,
    limit: number,
    busy: ReadonlyArray<WebhookId>
  ) => Effect.Effect<ReadonlyArray<ClaimedDelivery>, StoreUnavailable>
  /**
   * Milliseconds: when the next delivery is due that `claim` would give then, up to `until`; in the past when one is due
   * now. Undefined when there is none.
   */
  readonly nextDue: (
    until: number,
    busy: ReadonlyArray<WebhookId>
  ) => Effect.Effect<number | undefined, StoreUnavailable>
  /** Records an attempt and releases the delivery; false when the claim has expired and another worker has it. */
  readonly conclude: (claimed: ClaimedDelivery, ended: ConcludedTry) => Effect.Effect<boolean, StoreUnavailable>
  /** A key's deliveries, newest first, starting after a position. */
  readonly page: (
    key: ApiKeyId,
    after: Position | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<LoggedDelivery>, StoreUnavailable>
  /**
   * Sends the same event again, as a separate delivery that waits for no other; undefined when the key has no such
   * delivery.
   */
  readonly replay: (key: ApiKeyId, id: string, at: number) => Effect.Effect<Delivery | undefined, StoreUnavailable>
  /** Deletes the deliveries recorded before a time in milliseconds, with their attempts. */
  readonly forgetBefore: (at: number) => Effect.Effect<void, StoreUnavailable>
}>()("causeway/ports/WebhookDeliveries") {}
