/**
 * Webhook deliveries in SQL, one text for both engines. Workers claim them for a limited time, send them, and log each
 * attempt.
 */
import { Effect, Layer, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { SecretSealing } from "../../../ports/signing/SecretSealing.ts"
import { WebhookDeliveries } from "../../../ports/store/clients/WebhookDeliveries.ts"
import type { ClaimedDelivery, Delivery, WebhookTry } from "../../../ports/store/clients/WebhookDeliveries.ts"
import { WebhookId } from "../../../src/domain/webhook/Webhook.ts"
import { WebhookFact } from "../../../src/domain/webhook/WebhookFact.ts"
import { SendFailure } from "../../../src/domain/webhook/WebhookOutcome.ts"
import { JsonText, Millis, SqlCount, SqlInt } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"
import { webhookPlace } from "./StoredSecrets.ts"

const columns = {
  id: Schema.String,
  webhook_id: WebhookId,
  event_id: Schema.String,
  sequence: SqlInt,
  fact: JsonText(WebhookFact),
  at: Millis,
  state: Schema.Literals(["pending", "delivered", "failed"]),
  due_at: Millis,
  created_at: Millis
}
const Row = Schema.Struct(columns)
const ClaimRow = Schema.Struct({
  ...columns,
  body: Schema.NullOr(Schema.String),
  tries: SqlCount,
  leased_until: Millis,
  url: Schema.String,
  secret: Schema.String,
  previous_secret: Schema.NullOr(Schema.String),
  previous_until: Schema.NullOr(Millis)
})
const TryRow = Schema.Struct({
  delivery_id: Schema.String,
  at: Millis,
  status: Schema.NullOr(SqlInt),
  failure: Schema.NullOr(SendFailure),
  latency: SqlCount
})
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
const decodeClaims = Schema.decodeUnknownEffect(Schema.Array(ClaimRow))
const decodeDue = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ due_at: Schema.NullOr(Millis) })))
const decodeTries = Schema.decodeUnknownEffect(Schema.Array(TryRow))

/**
 * The most deliveries of one webhook that are claimed at once, so that a receiver that hangs does not block the others.
 */
const CLAIMED_PER_WEBHOOK = 4

/**
 * How many due deliveries are read for one claim. More than are claimed, because those of one webhook may come first.
 */
const LOOKED_AT = 64

const toDelivery = (row: typeof Row.Type): Delivery => ({
  id: row.id,
  webhookId: row.webhook_id,
  eventId: row.event_id,
  sequence: row.sequence,
  fact: row.fact,
  at: row.at,
  state: row.state,
  dueAt: row.state === "pending" ? row.due_at : null,
  createdAt: row.created_at
})

/** Undefined when the current secret does not open. A previous secret that does not open is left out. */
const secretsOf = (
  open: SecretSealing["Service"]["open"],
  row: typeof ClaimRow.Type,
  now: number
): ClaimedDelivery["secrets"] => {
  const { previous_secret: previous, previous_until: until, secret, webhook_id: id } = row
  const current = open(secret, webhookPlace(id))
  if (Result.isFailure(current)) return undefined
  const before = previous !== null && until !== null && now < until ? open(previous, webhookPlace(id)) : undefined
  return before !== undefined && Result.isSuccess(before) ? [current.success, before.success] : [current.success]
}

const toTry = ({ at, failure, latency, status }: typeof TryRow.Type): WebhookTry => ({
  at,
  latency,
  outcome: status === null ? { _tag: "Failed", failure: failure ?? "internal" } : { _tag: "Answered", status }
})

export const layer = Layer.effect(
  WebhookDeliveries,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { open } = yield* SecretSealing
    const shown = sql.literal("id, webhook_id, event_id, sequence, fact, at, state, due_at, created_at")

    /** Deliveries that can be claimed at that time: none before is under way in their queue. */
    const claimableAt = (at: number, busy: ReadonlyArray<WebhookId>) =>
      sql`FROM webhook_deliveries d
          JOIN webhooks w ON w.id = d.webhook_id
          JOIN api_keys k ON k.id = w.api_key_id AND k.revoked_at IS NULL
          WHERE d.state = 'pending' AND d.due_at <= ${at} AND d.leased_until <= ${at}
            AND NOT EXISTS (SELECT 1 FROM webhook_deliveries e WHERE e.state = 'pending'
              AND e.webhook_id = d.webhook_id AND e.queue = d.queue AND e.sequence < d.sequence)
            ${busy.length === 0 ? sql.literal("") : sql`AND NOT (${sql.in("d.webhook_id", busy)})`}`

    const candidates = (now: number, busy: ReadonlyArray<WebhookId>) =>
      sql`SELECT d.id, d.webhook_id, d.event_id, d.sequence, d.fact, d.at, d.state, d.due_at, d.created_at, d.body, d.tries, d.leased_until,
            w.url, w.secret, w.previous_secret, w.previous_until
          ${claimableAt(now, busy)}
          ORDER BY d.due_at LIMIT ${sql.literal(String(LOOKED_AT))}`

    const nextDue: WebhookDeliveries["Service"]["nextDue"] = (until, busy) =>
      sql`SELECT MIN(CASE WHEN d.leased_until > d.due_at THEN d.leased_until ELSE d.due_at END) AS due_at ${
        claimableAt(until, busy)
      }`.pipe(
        Effect.flatMap(decodeDue),
        Effect.map(([row]) => row?.due_at ?? undefined),
        storeCall("WebhookDeliveries.nextDue")
      )

    const claim: WebhookDeliveries["Service"]["claim"] = Effect.fnUntraced(function*(now, leasedUntil, limit, busy) {
      const claimed: Array<ClaimedDelivery> = []
      for (const row of yield* decodeClaims(yield* candidates(now, busy))) {
        if (claimed.length >= limit) break
        if (claimed.filter(({ webhookId }) => webhookId === row.webhook_id).length >= CLAIMED_PER_WEBHOOK) continue
        // Conditional on what was read: of two workers on a shared store, the second finds nothing to update.
        const taken = yield* sql`UPDATE webhook_deliveries SET leased_until = ${leasedUntil}
          WHERE id = ${row.id} AND state = 'pending' AND leased_until = ${row.leased_until} AND due_at = ${row.due_at} RETURNING id`
        if (taken.length === 0) continue
        const { body, tries, url } = row
        claimed.push({ ...toDelivery(row), url, body, tried: tries, leasedUntil, secrets: secretsOf(open, row, now) })
      }
      return claimed
    }, storeCall("WebhookDeliveries.claim"))

    const conclude: WebhookDeliveries["Service"]["conclude"] = (
      { id, leasedUntil, tried },
      { at, body, latency, next, outcome }
    ) =>
      sql.withTransaction(Effect.gen(function*() {
        const [state, due] = typeof next === "number" ? ["pending", next] as const : [next, at] as const
        const noted = yield* sql`UPDATE webhook_deliveries
          SET state = ${state}, due_at = ${due}, leased_until = 0, tries = ${tried + 1}, body = ${body}
          WHERE id = ${id} AND state = 'pending' AND leased_until = ${leasedUntil} RETURNING id`
        if (noted.length === 0) return false
        yield* sql`INSERT INTO webhook_tries ${
          sql.insert({
            delivery_id: id,
            number: tried + 1,
            at,
            status: outcome._tag === "Answered" ? outcome.status : null,
            failure: outcome._tag === "Failed" ? outcome.failure : null,
            latency
          })
        }`
        return true
      })).pipe(storeCall("WebhookDeliveries.conclude"))

    const page: WebhookDeliveries["Service"]["page"] = Effect.fnUntraced(function*(key, after, limit) {
      const from = after === undefined ? sql.literal("") : sql`AND (created_at, id) < (${after.at}, ${after.id})`
      const rows = yield* decodeRows(
        yield* sql`SELECT ${shown} FROM webhook_deliveries WHERE api_key_id = ${key} ${from} ORDER BY created_at DESC, id DESC LIMIT ${limit}`
      )
      if (rows.length === 0) return []
      const tries = yield* decodeTries(
        yield* sql`SELECT delivery_id, at, status, failure, latency FROM webhook_tries
          WHERE ${sql.in("delivery_id", rows.map(({ id }) => id))} ORDER BY delivery_id, number`
      )
      return rows.map((row) => ({
        ...toDelivery(row),
        tries: tries.filter(({ delivery_id }) => delivery_id === row.id).map(toTry)
      }))
    }, storeCall("WebhookDeliveries.page"))

    const replay: WebhookDeliveries["Service"]["replay"] = (key, id, at) =>
      Effect.gen(function*() {
        const suffix = `.${at}`
        // In a queue of its own: a replay neither waits for other deliveries nor delays them.
        yield* sql`INSERT INTO webhook_deliveries
            (id, api_key_id, webhook_id, event_id, queue, sequence, fact, at, body, state, tries, due_at, leased_until, created_at)
          SELECT webhook_id || '.' || event_id || ${suffix}, api_key_id, webhook_id, event_id, 'replay.' || event_id || ${suffix}, sequence, fact, at, body,
            'pending', 0, CAST(${at} AS BIGINT), 0, CAST(${at} AS BIGINT)
          FROM webhook_deliveries WHERE id = ${id} AND api_key_id = ${key}
          ON CONFLICT (id) DO NOTHING`
        const [row] = yield* decodeRows(
          yield* sql`SELECT ${shown} FROM webhook_deliveries WHERE api_key_id = ${key}
            AND id = (SELECT webhook_id || '.' || event_id || ${suffix} FROM webhook_deliveries WHERE id = ${id})`
        )
        return row === undefined ? undefined : toDelivery(row)
      }).pipe(storeCall("WebhookDeliveries.replay"))

    const forgetBefore: WebhookDeliveries["Service"]["forgetBefore"] = (at) =>
      Effect.asVoid(sql`DELETE FROM webhook_deliveries WHERE created_at < ${at}`).pipe(
        storeCall("WebhookDeliveries.forgetBefore")
      )

    return WebhookDeliveries.of({ claim, nextDue, conclude, page, replay, forgetBefore })
  })
)
