/** What the worker sends and when it tries again, over a store and a receiver in memory and a clock that is turned. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Random, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { createHmac } from "node:crypto"
import { makeScriptedNotices } from "../../../adapters/storage/testing/ScriptedNotices.ts"
import { WebhookDeliveries } from "../../../ports/store/clients/WebhookDeliveries.ts"
import type { ClaimedDelivery, ConcludedTry } from "../../../ports/store/clients/WebhookDeliveries.ts"
import { WebhookSender } from "../../../ports/webhook/WebhookSender.ts"
import { MicroUsdc } from "../../domain/ledger/MicroUsdc.ts"
import { Address } from "../../domain/chain/Address.ts"
import { RequestId } from "../../domain/transfer/RequestId.ts"
import { transferOf } from "../../domain/permit/testing/PermitTransfers.ts"
import { WebhookId } from "../../domain/webhook/Webhook.ts"
import type { WebhookFact } from "../../domain/webhook/WebhookFact.ts"
import type { SendOutcome } from "../../domain/webhook/WebhookOutcome.ts"
import * as Notifying from "./Notifying.ts"
import { Statuses } from "../requests/Statuses.ts"
import type { KnownTransfer } from "../requests/Statuses.ts"

const low: WebhookFact = {
  _tag: "BalanceLow",
  wallet: Address.make(`0x${"b2".repeat(20)}`),
  available: MicroUsdc(7n),
  threshold: MicroUsdc(9n)
}
const nobodys: WebhookFact = {
  _tag: "RequestUpdated",
  request: RequestId.make(`0x${"1".repeat(64)}`),
  status: "success",
  failReason: null
}

const known = RequestId.make(`0x${"2".repeat(64)}`)
const refunded: WebhookFact = { _tag: "RequestUpdated", request: known, status: "refund", failReason: "SLIPPAGE" }

interface Sent {
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly at: number
}

/** One delivery, and everything that becomes of it. */
const world = (
  fact: WebhookFact,
  answer: (url: string, count: number) => Effect.Effect<SendOutcome>,
  webhooks: number = 1
) => {
  const sent: Array<Sent> = []
  const looks = { times: 0 }
  const concluded: Array<ConcludedTry> = []
  interface Kept {
    tried: number
    dueAt: number
    leasedUntil: number
    body: string | null
    state: "pending" | "delivered" | "failed"
  }
  const kept = Array.from(
    { length: webhooks },
    (): Kept => ({ tried: 0, dueAt: 0, leasedUntil: 0, body: null, state: "pending" })
  )
  const idOf = (index: number) => WebhookId.make(`wh_${String(index).padStart(24, "0")}`)
  const deliveries = WebhookDeliveries.of({
    claim: (now, leasedUntil, limit, busy) =>
      Effect.sync(() =>
        kept.flatMap((one, index) =>
          one.state !== "pending" || one.dueAt > now || one.leasedUntil > now || busy.includes(idOf(index))
            ? []
            : [{ one, index }]
        ).slice(0, limit).map(({ index, one }): ClaimedDelivery => {
          one.leasedUntil = leasedUntil
          const { body, dueAt, state, tried } = one
          return {
            id: `d${index}`,
            webhookId: idOf(index),
            eventId: "e",
            sequence: 3,
            fact,
            at: 11,
            state,
            dueAt,
            createdAt: 11,
            url: `u${index}`,
            secrets: [Redacted.make("new"), Redacted.make("old")],
            body,
            tried,
            leasedUntil
          }
        })
      ),
    nextDue: (until, busy) =>
      Effect.sync(() => {
        looks.times += 1
        const due = kept.flatMap((one, index) => {
          const at = Math.max(one.dueAt, one.leasedUntil)
          return one.state === "pending" && at <= until && !busy.includes(idOf(index)) ? [at] : []
        })
        return due.length === 0 ? undefined : Math.min(...due)
      }),
    conclude: ({ id }, ended) =>
      Effect.sync(() => {
        concluded.push(ended)
        const one = kept[Number(id.slice(1))]
        if (one === undefined) return false
        one.tried += 1
        one.leasedUntil = 0
        one.body = ended.body
        if (typeof ended.next === "number") one.dueAt = ended.next
        else one.state = ended.next
        return true
      }),
    page: () => Effect.succeed([]),
    replay: () => Effect.succeed(undefined),
    forgetBefore: () => Effect.void
  })
  const sender = WebhookSender.of({
    send: (url, headers, body) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) => {
        sent.push({ url, body, headers, at })
        return answer(url, sent.length)
      })
  })
  const statuses = Statuses.of({
    find: (id) =>
      Effect.succeed(
        id === known
          ? {
            transfer: transferOf(),
            deposits: [],
            payments: [],
            refunds: [],
            settlements: [],
            send: undefined,
            appFees: [],
            feeSponsorship: undefined
          }
          : undefined
      ),
    findByOrder: () => Effect.succeed(undefined),
    findByTransaction: () => Effect.succeed([]),
    findHistory: () => Effect.undefined,
    findByDepositAddress: () => Effect.succeed([]),
    describe: () => Effect.never,
    version: () => Effect.undefined,
    lastChanges: () => Effect.succeed(new Map()),
    changesAfter: () => Effect.succeed([])
  })
  const notices = makeScriptedNotices()
  let asked = 0
  const statusOf = ({ transfer: { failReason, status, updatedAt } }: KnownTransfer) => ({
    failReason,
    status,
    updatedAt,
    asked: ++asked
  })
  const running = Layer.build(
    Notifying.layer({ statusOf }).pipe(Layer.provide([
      Layer.succeed(WebhookDeliveries, deliveries),
      Layer.succeed(WebhookSender, sender),
      notices.layer,
      Layer.succeed(Statuses, statuses)
    ]))
  )
  return { sent, concluded, kept, looks, running, notices }
}

const answered = (status: number): SendOutcome => ({ _tag: "Answered", status })

describe("a webhook delivery", () => {
  it.effect("sends one body with both signatures until it is accepted", () =>
    Effect.gen(function*() {
      const { concluded, running, sent } = world(low, (_, count) =>
        Effect.succeed(count < 3 ? answered(500) : answered(204)))
      yield* running
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(
        concluded.map(({ next }) =>
          typeof next === "number" ? "again" : next
        ),
        ["again", "again", "delivered"]
      )
      assert.deepStrictEqual(JSON.parse(sent[0]?.body ?? ""), {
        event: "app-balance.low",
        id: "e",
        sequence: 3,
        timestamp: 11,
        data: { wallet: `0x${"b2".repeat(20)}`, available: "7", threshold: "9" }
      })
      assert.strictEqual(
        new Set(sent.map(({ body }) => body)).size,
        1
      )
      for (const { at, body, headers } of sent) {
        const mac = (secret: string) => createHmac("sha256", secret).update(`${at}.${body}`).digest("hex")
        assert.deepStrictEqual([
          headers["x-signature-timestamp"],
          headers["x-signature-sha256"],
          headers["x-signature-sha256-previous"]
        ], [`${at}`, mac("new"), mac("old")])
      }
    }).pipe(Effect.scoped))

  it.effect("sends a change as it was, and unchanged on a retry", () =>
    Effect.gen(function*() {
      const { running, sent } = world(refunded, (_, count) => Effect.succeed(answered(count < 3 ? 503 : 200)))
      yield* running
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(JSON.parse(sent[0]?.body ?? ""), {
        event: "request.status.updated",
        id: "e",
        sequence: 3,
        timestamp: 11,
        data: { failReason: "SLIPPAGE", status: "refund", updatedAt: 11, asked: 1 }
      })
      assert.deepStrictEqual([sent.length, new Set(sent.map(({ body }) => body)).size], [3, 1])
    }).pipe(Effect.scoped))

  it.effect("waits longer each time, by a jittered delay, and gives up after the tenth try", () =>
    Effect.gen(function*() {
      const unreachable = Effect.succeed<SendOutcome>({ _tag: "Failed", failure: "unreachable" })
      const { concluded, running } = world(low, () => unreachable)
      yield* running
      yield* TestClock.adjust("10 minutes")
      const waits = concluded.slice(0, 5).map(({ at, next }) => Number(next) - at)
      assert.strictEqual(waits.length, 5)
      for (const [index, wait] of waits.entries()) {
        const most = 2_000 * 3.5 ** index
        assert.isTrue(wait >= Math.floor(most / 2) && wait <= Math.ceil(most), `${index}: ${wait}`)
      }
      assert.isAbove(new Set(waits.map((wait, index) => Math.round(wait / 3.5 ** index))).size, 3, "jittered")

      const last = world(low, () => unreachable)
      for (const one of last.kept) one.tried = 9
      yield* last.running
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(last.concluded.map(({ next }) => next), ["failed"])
      assert.strictEqual(last.kept[0]?.state, "failed")
    }).pipe(Random.withSeed("webhooks"), Effect.scoped))

  it.effect("starts with its notice, or within ten seconds without one", () =>
    Effect.gen(function*() {
      const { kept: [delivery], notices, running, sent } = world(low, () => Effect.succeed(answered(204)))
      if (delivery === undefined) return assert.fail("no delivery")
      delivery.state = "delivered"
      yield* running
      yield* TestClock.adjust("1 hour")
      assert.lengthOf(sent, 0)
      const write = Effect.sync(() => {
        Object.assign(delivery, { state: "pending", leasedUntil: 0, tried: 0 })
      })
      yield* write
      yield* notices.tell("webhooks")
      // A notice takes several turns of the loop of fibers.
      yield* TestClock.adjust("250 millis")
      yield* TestClock.adjust("250 millis")
      assert.lengthOf(sent, 1)
      // A process whose clock is ahead has written it: it is due a moment after its notice.
      delivery.dueAt = 3_600_000 + 2_500
      yield* write
      yield* notices.tell("webhooks")
      yield* TestClock.adjust("2 seconds")
      yield* TestClock.adjust("1 seconds")
      assert.lengthOf(sent, 2)
      yield* TestClock.adjust("1 hour")
      yield* write
      yield* TestClock.adjust("11 seconds")
      assert.lengthOf(sent, 3)
    }).pipe(Effect.scoped))

  it.effect("asks the store when something is due and not in between, however long a receiver takes", () =>
    Effect.gen(function*() {
      const answer = Effect.delay(Effect.succeed(answered(500)), "9 seconds")
      const { concluded, kept: [delivery], looks, running } = world(low, () => answer)
      if (delivery === undefined) return assert.fail("no delivery")
      delivery.tried = 5
      yield* running
      yield* TestClock.adjust("9 seconds")
      assert.lengthOf(concluded, 1)
      // The first look, the one after its claim, and the one after its try has ended.
      assert.isAtMost(looks.times, 3)
      const wait = delivery.dueAt - 9_000
      assert.isAbove(wait, 60_000)
      looks.times = 0
      yield* TestClock.adjust(wait - 1)
      assert.isAtMost(looks.times, wait / 10_000)
      const tried = delivery.tried
      yield* TestClock.adjust(1 + 9_000)
      assert.strictEqual(delivery.tried, tried + 1)
    }).pipe(Effect.scoped))

  it.effect("is followed by the next of its receiver as soon as it has ended", () =>
    Effect.gen(function*() {
      const answer = Effect.delay(Effect.succeed(answered(204)), "2 seconds")
      const { kept, running, sent } = world(low, () => answer, 40)
      yield* running
      yield* TestClock.adjust("1 second")
      assert.lengthOf(sent, 32)
      yield* TestClock.adjust("1 second")
      assert.lengthOf(sent, 40)
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(new Set(kept.map(({ state }) => state)), new Set(["delivered"]))
    }).pipe(Effect.scoped))

  it.effect("continues with others while one hangs or cannot be built", () =>
    Effect.gen(function*() {
      const hanging = world(low, (url) => url === "u0" ? Effect.never : Effect.succeed(answered(200)), 3)
      yield* hanging.running
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(hanging.kept.map(({ state }) => state), ["pending", "delivered", "delivered"])

      const broken = world(nobodys, () => Effect.succeed(answered(200)))
      yield* broken.running
      // Less than the least wait before another try.
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual(broken.concluded.map(({ outcome }) => outcome), [{ _tag: "Failed", failure: "internal" }])
      assert.deepStrictEqual(broken.sent, [])
    }).pipe(Effect.scoped))
})
