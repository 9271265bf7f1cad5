/** Webhooks in SQL, one text for both engines. Their secrets are sealed when a key is configured. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { SecretSealing } from "../../../ports/signing/SecretSealing.ts"
import { Webhooks } from "../../../ports/store/clients/Webhooks.ts"
import { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import { LowBalance, WebhookId } from "../../../src/domain/webhook/Webhook.ts"
import type { Webhook } from "../../../src/domain/webhook/Webhook.ts"
import { Millis } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"
import { webhookPlace } from "./StoredSecrets.ts"

const Row = Schema.Struct({
  id: WebhookId,
  api_key_id: ApiKeyId,
  url: Schema.String,
  low_balance: Schema.NullOr(LowBalance),
  previous_until: Schema.NullOr(Millis),
  created_at: Millis
})
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

const toWebhook = (row: typeof Row.Type): Webhook => ({
  id: row.id,
  apiKeyId: row.api_key_id,
  url: row.url,
  ...(row.low_balance === null ? {} : { lowBalance: row.low_balance }),
  ...(row.previous_until === null ? {} : { previousUntil: row.previous_until }),
  createdAt: row.created_at
})

export const layer = Layer.effect(
  Webhooks,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { seal } = yield* SecretSealing
    // Never the secrets: a column that is not read cannot be returned or logged.
    const columns = sql.literal("id, api_key_id, url, low_balance, previous_until, created_at")

    const add: Webhooks["Service"]["add"] = Effect.fnUntraced(
      function*({ apiKeyId, createdAt, id, lowBalance, url }, secret, most) {
        const row = {
          id,
          api_key_id: apiKeyId,
          url,
          secret: yield* seal(secret, webhookPlace(id)),
          previous_secret: null,
          previous_until: null,
          low_balance: lowBalance?.toString() ?? null,
          balance_sequence: 0,
          created_at: createdAt
        }
        return yield* sql.withTransaction(Effect.gen(function*() {
          // Locks the key's row, so that of two concurrent additions the second counts the first.
          yield* sql`UPDATE api_keys SET id = id WHERE id = ${apiKeyId}`
          const held = yield* sql`SELECT id FROM webhooks WHERE api_key_id = ${apiKeyId}`
          if (held.length >= most) return false
          yield* sql`INSERT INTO webhooks ${sql.insert(row)}`
          return true
        }))
      },
      storeCall("Webhooks.add")
    )

    const ofKey: Webhooks["Service"]["ofKey"] = (key) =>
      sql`SELECT ${columns} FROM webhooks WHERE api_key_id = ${key} ORDER BY created_at, id`.pipe(
        Effect.flatMap(decodeRows),
        Effect.map((rows) => rows.map(toWebhook)),
        storeCall("Webhooks.ofKey")
      )

    const rotate: Webhooks["Service"]["rotate"] = (key, id, secret, previousUntil) =>
      seal(secret, webhookPlace(id)).pipe(
        Effect.flatMap((sealed) =>
          sql`UPDATE webhooks SET previous_secret = secret, previous_until = ${previousUntil}, secret = ${sealed}
          WHERE id = ${id} AND api_key_id = ${key} RETURNING ${columns}`
        ),
        Effect.flatMap(decodeRows),
        Effect.map(([row]) => row === undefined ? undefined : toWebhook(row)),
        storeCall("Webhooks.rotate")
      )

    const remove: Webhooks["Service"]["remove"] = (key, id) =>
      sql`DELETE FROM webhooks WHERE id = ${id} AND api_key_id = ${key} RETURNING id`.pipe(
        Effect.map((rows) => rows.length > 0),
        storeCall("Webhooks.remove")
      )

    return Webhooks.of({ add, ofKey, rotate, remove })
  })
)
