/**
 * Writes webhook deliveries within the transaction of the change that they report: both are stored or neither. For
 * repositories that change what webhooks report. Keys without webhooks add no rows.
 */
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import { MicroUsdc } from "../../../src/domain/ledger/MicroUsdc.ts"
import type { LedgerId } from "../../../src/domain/ledger/Transaction.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { FailReason } from "../../../src/domain/transfer/FailReason.ts"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import type { Status } from "../../../src/domain/transfer/Status.ts"
import { LowBalance } from "../../../src/domain/webhook/Webhook.ts"
import { balanceEventId, updateEventId, WebhookFact } from "../../../src/domain/webhook/WebhookFact.ts"
import { JsonText, SqlInt } from "../engine/Columns.ts"

const encodeFact = Schema.encodeEffect(JsonText(WebhookFact))

/** The stored text of a request's change. */
export const encodeUpdate = (fact: Extract<WebhookFact, { readonly _tag: "RequestUpdated" }>) => encodeFact(fact)
const decodeCrossed = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({ id: Schema.String, api_key_id: Schema.String, low_balance: LowBalance, balance_sequence: SqlInt })
  )
)

/** The database compares in 64 bits; every threshold is smaller. */
const MOST = 2n ** 62n

interface Update {
  readonly key: ApiKeyId
  readonly request: RequestId
  readonly sequence: number
  readonly status: Status
  readonly failReason: FailReason | null
  /** Milliseconds. */
  readonly at: number
}

interface Change {
  readonly movement: LedgerId
  readonly wallet: Address
  readonly before: bigint
  readonly after: bigint
  /** Milliseconds. */
  readonly at: number
}

interface StoredUpdate {
  readonly request: RequestId
  readonly fact: string
  /** Milliseconds. */
  readonly at: number
}

/** One delivery for each webhook of the key. `moved`: rows of a key (`api_key_id`) and its request's `sequence`. */
export const updateOf = (
  sql: SqlClient.SqlClient,
  { at, fact, request }: StoredUpdate,
  moved: Statement.Fragment
) => {
  // The event's id, without the number at its end.
  const event = sql`CAST(${updateEventId(request, "")} AS TEXT) || CAST(m.sequence AS TEXT)`
  return sql`INSERT INTO webhook_deliveries
      (id, api_key_id, webhook_id, event_id, queue, sequence, fact, at, body, state, tries, due_at, leased_until, created_at)
    SELECT w.id || '.' || ${event}, w.api_key_id, w.id, ${event}, CAST(${request} AS TEXT), m.sequence, CAST(${fact} AS TEXT), CAST(${at} AS BIGINT),
      NULL, 'pending', 0, CAST(${at} AS BIGINT), 0, CAST(${at} AS BIGINT)
    FROM ${moved} m JOIN webhooks w ON w.api_key_id = m.api_key_id JOIN api_keys k ON k.id = w.api_key_id
    WHERE k.revoked_at IS NULL`
}

/** A request's status changed: adds one delivery for each webhook of its key. */
export const noteUpdate = Effect.fnUntraced(
  function*(sql: SqlClient.SqlClient, { at, failReason, key, request, sequence, status }: Update) {
    const fact = yield* encodeUpdate({ _tag: "RequestUpdated", request, status, failReason })
    const moved = sql`(SELECT CAST(${key} AS TEXT) AS api_key_id, CAST(${sequence} AS BIGINT) AS sequence)`
    yield* updateOf(sql, { request, fact, at }, moved)
  }
)

/** A wallet's available balance changed: adds one delivery for each webhook whose threshold the balance fell below. */
export const noteBalance = Effect.fnUntraced(
  function*(sql: SqlClient.SqlClient, { after, at, before, movement, wallet }: Change) {
    if (after >= before || after > MOST) return
    // Each webhook has a counter of its own, so that its receiver can detect a missing delivery.
    const crossed = yield* decodeCrossed(
      yield* sql`UPDATE webhooks SET balance_sequence = balance_sequence + 1
      WHERE low_balance IS NOT NULL AND CAST(low_balance AS BIGINT) > ${after} AND CAST(low_balance AS BIGINT) <= ${
        before > MOST ? MOST : before
      }
        AND api_key_id IN (SELECT id FROM api_keys WHERE wallet = ${wallet} AND revoked_at IS NULL)
      RETURNING id, api_key_id, low_balance, balance_sequence`
    )
    const event = balanceEventId(movement)
    for (const webhook of crossed) {
      const fact = yield* encodeFact({
        _tag: "BalanceLow",
        wallet,
        available: MicroUsdc(after),
        threshold: webhook.low_balance
      })
      yield* sql`INSERT INTO webhook_deliveries ${
        sql.insert({
          id: `${webhook.id}.${event}`,
          api_key_id: webhook.api_key_id,
          webhook_id: webhook.id,
          event_id: event,
          queue: "balance",
          sequence: webhook.balance_sequence,
          fact,
          at,
          body: null,
          state: "pending",
          tries: 0,
          due_at: at,
          leased_until: 0,
          created_at: at
        })
      }`
    }
  }
)
