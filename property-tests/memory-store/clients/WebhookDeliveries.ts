/** The port `WebhookDeliveries` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { WebhookDeliveries } from "../../../ports/store/clients/WebhookDeliveries.ts"
import type { ClaimedDelivery, ConcludedTry, Delivery } from "../../../ports/store/clients/WebhookDeliveries.ts"
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { WebhookId } from "../../../src/domain/webhook/Webhook.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending, descending } from "../Ordering.ts"
import type { DeliveryRow, WebhookRow } from "../rows/ClientRows.ts"
import type { Tables } from "../Tables.ts"

/** The most deliveries of one webhook that are claimed at once, so that a receiver that hangs does not block others. */
const CLAIMED_PER_WEBHOOK = 4

/** How many due deliveries are read for one claim. More than are claimed: those of one webhook may come first. */
const LOOKED_AT = 64

const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  webhookId: row.webhookId,
  eventId: row.eventId,
  sequence: row.sequence,
  fact: row.fact,
  at: row.at,
  state: row.state,
  dueAt: row.state === "pending" ? row.dueAt : null,
  createdAt: row.createdAt
})

const secretsOf = ({ previous, secret }: WebhookRow, now: number): ClaimedDelivery["secrets"] =>
  previous !== undefined && now < previous.until ? [secret, previous.secret] : [secret]

interface Candidate {
  readonly row: DeliveryRow
  readonly webhook: WebhookRow
}

/** Due and not claimed at that time, and the first of their queue that is pending. */
const candidates = (
  { deliveries, keys, webhooks }: Tables,
  at: number,
  busy: ReadonlyArray<WebhookId>
): ReadonlyArray<Candidate> => {
  const pending = deliveries.all().filter(({ state }) => state === "pending")
  const first = new Map<string, number>()
  const queueOf = ({ queue, webhookId }: DeliveryRow) => JSON.stringify([webhookId, queue])
  for (const row of pending) first.set(queueOf(row), Math.min(row.sequence, first.get(queueOf(row)) ?? row.sequence))
  return pending.filter((row) => row.dueAt <= at && row.leasedUntil <= at && first.get(queueOf(row)) === row.sequence)
    .toSorted(ascending(({ dueAt }) => dueAt)).flatMap((row) => {
      const webhook = webhooks.get(row.webhookId)
      const isServed = webhook !== undefined && keys.get(webhook.key)?.revokedAt === undefined
      return isServed && !busy.includes(row.webhookId) ? [{ row, webhook }] : []
    })
}

const nextDue = (tables: Tables, until: number, busy: ReadonlyArray<WebhookId>): number | undefined => {
  const due = candidates(tables, until, busy).map(({ row }) => Math.max(row.dueAt, row.leasedUntil))
  return due.length === 0 ? undefined : Math.min(...due)
}

const claim = (
  tables: Tables,
  now: number,
  leasedUntil: number,
  limit: number,
  busy: ReadonlyArray<WebhookId>
): ReadonlyArray<ClaimedDelivery> => {
  const claimed: Array<ClaimedDelivery> = []
  for (const { row, webhook } of candidates(tables, now, busy).slice(0, LOOKED_AT)) {
    if (claimed.length >= limit) break
    if (claimed.filter(({ webhookId }) => webhookId === row.webhookId).length >= CLAIMED_PER_WEBHOOK) continue
    tables.deliveries.set(row.id, { ...row, leasedUntil })
    claimed.push({
      ...toDelivery(row),
      url: webhook.webhook.url,
      body: row.body,
      tried: row.tries.length,
      leasedUntil,
      secrets: secretsOf(webhook, now)
    })
  }
  return claimed
}

const conclude = (
  { deliveries }: Tables,
  { id, leasedUntil }: ClaimedDelivery,
  { at, body, latency, next, outcome }: ConcludedTry
): boolean => {
  const row = deliveries.get(id)
  if (row?.state !== "pending" || row.leasedUntil !== leasedUntil) return false
  const [state, dueAt] = typeof next === "number" ? ["pending", next] as const : [next, at] as const
  deliveries.set(id, { ...row, state, dueAt, leasedUntil: 0, body, tries: [...row.tries, { at, latency, outcome }] })
  return true
}

/** In a queue of its own: a replay neither waits for other deliveries nor delays them. */
const replay = ({ deliveries }: Tables, key: ApiKeyId, id: string, at: number): Delivery | undefined => {
  const row = deliveries.get(id)
  if (row?.key !== key) return undefined
  const name = `${row.webhookId}.${row.eventId}.${at}`
  const again = deliveries.get(name) ?? {
    ...row,
    id: name,
    queue: `replay.${row.eventId}.${at}`,
    state: "pending",
    tries: [],
    dueAt: at,
    leasedUntil: 0,
    createdAt: at
  }
  deliveries.set(name, again)
  return toDelivery(again)
}

export const layer = Layer.effect(
  WebhookDeliveries,
  Effect.map(MemoryStore, ({ call }) =>
    WebhookDeliveries.of({
      claim: (...due) => call("WebhookDeliveries.claim", (tables) => claim(tables, ...due)),
      nextDue: (...due) => call("WebhookDeliveries.nextDue", (tables) => nextDue(tables, ...due)),
      conclude: (...ended) => call("WebhookDeliveries.conclude", (tables) => conclude(tables, ...ended)),
      page: (key, after, limit) =>
        call("WebhookDeliveries.page", ({ deliveries }) =>
          deliveries.all().filter((row) =>
            row.key === key && (after === undefined || row.createdAt < after.at ||
              (row.createdAt === after.at && row.id < after.id))
          ).toSorted(descending(({ createdAt }) =>
            createdAt, ({ id }) => id)).slice(0, limit).map((row) => ({
              ...toDelivery(row),
              tries: row.tries
            }))),
      replay: (...again) =>
        call("WebhookDeliveries.replay", (tables) => replay(tables, ...again)),
      forgetBefore: (at) =>
        call("WebhookDeliveries.forgetBefore", ({ deliveries }) => {
          for (const row of deliveries.all()) if (row.createdAt < at) deliveries.remove(row.id)
        })
    }))
)
