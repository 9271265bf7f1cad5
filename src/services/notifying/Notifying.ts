/**
 * Sends webhooks (WEBHOOK-1): claims due deliveries, sends each, records the result.
 *
 * Delivery is at least once, in the order of a request's changes: a change is sent after the previous one was accepted
 * or given up. The claims of a dead worker expire, and other workers take them. A receiver that refuses or hangs delays
 * no other receiver.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import { WebhookDeliveries } from "../../../ports/store/clients/WebhookDeliveries.ts"
import type { ClaimedDelivery, ConcludedTry } from "../../../ports/store/clients/WebhookDeliveries.ts"
import { SlowPoll } from "../../../ports/store/operations/SlowPoll.ts"
import { WebhookSender } from "../../../ports/webhook/WebhookSender.ts"
import { retryDelay } from "../../domain/webhook/RetryDelay.ts"
import type { WebhookId } from "../../domain/webhook/Webhook.ts"
import { eventName, webhookBody } from "../../domain/webhook/WebhookFact.ts"
import { isTaken } from "../../domain/webhook/WebhookOutcome.ts"
import type { SendOutcome } from "../../domain/webhook/WebhookOutcome.ts"
import { signatureHeaders } from "../../domain/webhook/WebhookSignature.ts"
import { countStuck, countWebhook } from "../operations/Meters.ts"
import { retryForever } from "../polling/RetryForever.ts"
import { poll, pollNoticed } from "../polling/Poll.ts"
import type { NoticedRest } from "../polling/Poll.ts"
import { Statuses } from "../requests/Statuses.ts"
import type { KnownTransfer } from "../requests/Statuses.ts"

/** What a host adds to deliveries. */
export interface NotifyingOptions {
  /** The status endpoint's answer for a transfer: plain JSON. */
  readonly statusOf: (known: KnownTransfer) => unknown
}

/** Longer than an attempt with its records can take: after that, the claims of a dead worker are free. */
const LEASE = Duration.seconds(12)

/** The pause after another worker was quicker. */
const MISSED = Duration.millis(500)

/** Concurrent deliveries of one process: to all receivers together, and roughly to one receiver. */
const MOST_AT_ONCE = 32
const MOST_OF_ONE = 4

/** How long the log is kept. */
const KEPT = Duration.days(30)

export const layer = ({ statusOf }: NotifyingOptions) =>
  Layer.effectDiscard(Effect.gen(function*() {
    const deliveries = yield* WebhookDeliveries
    const sender = yield* WebhookSender
    const statuses = yield* Statuses

    const dataOf = Effect.fnUntraced(function*({ at, fact }: ClaimedDelivery) {
      if (fact._tag === "BalanceLow") {
        return { wallet: fact.wallet, available: fact.available.toString(), threshold: fact.threshold.toString() }
      }
      const known = yield* statuses.find(fact.request)
      if (known === undefined) return yield* Effect.die(new Error("a change of a request that does not exist"))
      // A delivery reports its own state, reason and time, whatever has followed.
      const { failReason, status } = fact
      return statusOf({ ...known, transfer: { ...known.transfer, status, failReason, updatedAt: at } })
    })

    /** Every attempt has the same body, so that a receiver gets one text per event. */
    const bodyOf = (claimed: ClaimedDelivery) =>
      claimed.body === null
        ? Effect.map(
          dataOf(claimed),
          (data) => webhookBody(eventName(claimed.fact), claimed.eventId, claimed.sequence, claimed.at, data)
        )
        : Effect.succeed(claimed.body)

    const send = Effect.fnUntraced(function*({ secrets, url, webhookId }: ClaimedDelivery, body: string, now: number) {
      if (secrets === undefined) {
        yield* Effect.logError(
          `the secret of webhook ${webhookId} cannot be opened with SECRETS_KEY: nothing is sent to it`
        )
        yield* countStuck("secret-unreadable")
        return { _tag: "Failed", failure: "internal" } satisfies SendOutcome
      }
      const [current, ...others] = secrets
      const signed = signatureHeaders([Redacted.value(current), ...others.map(Redacted.value)], now, body)
      return yield* sender.send(url, {
        "content-type": "application/json",
        "user-agent": "causeway-webhooks",
        ...signed
      }, body)
    })

    const nextOf = Effect.fnUntraced(function*({ tried }: ClaimedDelivery, outcome: SendOutcome, now: number) {
      if (isTaken(outcome)) return "delivered"
      const delay = retryDelay(tried + 1, yield* Random.next)
      return delay === undefined ? "failed" : now + delay
    })

    const deliver = Effect.fn("Notifying.deliver")(function*(claimed: ClaimedDelivery) {
      const at = yield* Clock.currentTimeMillis
      const body = yield* Effect.catchDefect(
        bodyOf(claimed),
        (defect) =>
          Effect.as(Effect.logError(`the body of webhook delivery ${claimed.id} cannot be made`, defect), null)
      )
      const outcome: SendOutcome = body === null
        ? { _tag: "Failed", failure: "internal" }
        : yield* send(claimed, body, at)
      const now = yield* Clock.currentTimeMillis
      const next = yield* nextOf(claimed, outcome, now)
      const ended: ConcludedTry = { at, latency: now - at, outcome, body, next }
      yield* retryForever("noting a webhook")(deliveries.conclude(claimed, ended))
      yield* countWebhook(typeof next === "number" ? "tried" : next)
    })

    const inFlight = new Map<WebhookId, number>()
    /** Open once an attempt has ended: another delivery of its queue or receiver may be sent, or this one again. */
    const freed = Latch.makeUnsafe(false)
    const change = (id: WebhookId, by: number) =>
      Effect.sync(() => {
        const count = (inFlight.get(id) ?? 0) + by
        if (count === 0) inFlight.delete(id)
        else inFlight.set(id, count)
        if (by < 0) freed.openUnsafe()
      })

    /** When the store does not answer now, the claim expires and the delivery is free again. */
    const start = (claimed: ClaimedDelivery) =>
      deliver(claimed).pipe(
        Effect.catch(({ message }) => Effect.logWarning(`webhooks: ${message}`)),
        Effect.ensuring(change(claimed.webhookId, -1)),
        Effect.forkScoped
      )

    const slowly = yield* SlowPoll
    /** Sends what is due, and says when the next look is. Clocks of processes differ: what is due is so by this one. */
    const pull = Effect.gen(function*() {
      // Before the store is read: what ends meanwhile is followed by another look.
      freed.closeUnsafe()
      const rest = { atLeast: 0, or: freed.await } satisfies NoticedRest
      const now = yield* Clock.currentTimeMillis
      const busy = [...inFlight].filter(([, count]) => count >= MOST_OF_ONE).map(([id]) => id)
      const free = MOST_AT_ONCE - [...inFlight.values()].reduce((sum, count) => sum + count, 0)
      if (free <= 0) return rest
      const due = yield* deliveries.nextDue(now + Duration.toMillis(slowly), busy)
      if (due === undefined) return rest
      if (due > now) return { ...rest, atMost: Duration.millis(due - now) }
      const claimed = yield* deliveries.claim(now, now + Duration.toMillis(LEASE), free, busy)
      yield* Effect.forEach(claimed, (each) => Effect.andThen(change(each.webhookId, 1), start(each)), {
        discard: true
      })
      return { ...rest, atMost: claimed.length > 0 ? Duration.zero : MISSED }
    })
    yield* pull.pipe(pollNoticed("webhooks", "webhooks", (rest: NoticedRest) => rest), Effect.forkScoped)
    yield* Effect.flatMap(Clock.currentTimeMillis, (now) => deliveries.forgetBefore(now - Duration.toMillis(KEPT)))
      .pipe(poll("forgetting old webhooks", "1 hour"), Effect.forkScoped)
  }))
