/**
 * Stored answers in SQL, one text for both engines. A claim is an insert, so the primary key decides between two
 * claims.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { IdempotentAnswers } from "../../../ports/store/clients/IdempotentAnswers.ts"
import type { Claim } from "../../../ports/store/clients/IdempotentAnswers.ts"
import { SqlInt } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"

const Row = Schema.Struct({
  body_hash: Schema.String,
  status: Schema.NullOr(SqlInt),
  body: Schema.NullOr(Schema.String)
})
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

/** How long a claim without an answer counts as running. */
const CLAIM_MS = 60_000

/** How long an answer is kept (WIRE-8). */
const KEPT_MS = 24 * 3600 * 1000

const claimOf = ({ body, body_hash, status }: typeof Row.Type, bodyHash: string): Claim => {
  if (body_hash !== bodyHash) return { _tag: "Reused" }
  return status === null || body === null ? { _tag: "Running" } : { _tag: "Answered", answer: { status, body } }
}

export const layer = Layer.effect(
  IdempotentAnswers,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const claim: IdempotentAnswers["Service"]["claim"] = ({ key, scope }, bodyHash, now) =>
      Effect.gen(function*() {
        const row = { scope, idempotency_key: key, body_hash: bodyHash, claimed_at: now, status: null, body: null }
        const claimed = yield* sql`INSERT INTO idempotent_answers ${sql.insert(row)}
          ON CONFLICT (scope, idempotency_key) DO UPDATE SET body_hash = ${bodyHash}, claimed_at = ${now}, status = NULL, body = NULL
            WHERE (idempotent_answers.status IS NULL AND idempotent_answers.claimed_at <= ${now - CLAIM_MS})
               OR idempotent_answers.claimed_at <= ${now - KEPT_MS}
          RETURNING scope`
        if (claimed.length > 0) return { _tag: "Claimed" } satisfies Claim
        const [held] = yield* decodeRows(
          yield* sql`SELECT body_hash, status, body FROM idempotent_answers WHERE scope = ${scope} AND idempotency_key = ${key}`
        )
        // Released in between: the next attempt may claim it.
        return held === undefined ? { _tag: "Running" } satisfies Claim : claimOf(held, bodyHash)
      }).pipe(storeCall("IdempotentAnswers.claim"))

    const store: IdempotentAnswers["Service"]["store"] = ({ key, scope }, { body, status }) =>
      sql`UPDATE idempotent_answers SET status = ${status}, body = ${body}
          WHERE scope = ${scope} AND idempotency_key = ${key}`.pipe(Effect.asVoid, storeCall("IdempotentAnswers.store"))

    const release: IdempotentAnswers["Service"]["release"] = ({ key, scope }) =>
      sql`DELETE FROM idempotent_answers WHERE scope = ${scope} AND idempotency_key = ${key} AND status IS NULL`.pipe(
        Effect.asVoid,
        storeCall("IdempotentAnswers.release")
      )

    const forgetBefore: IdempotentAnswers["Service"]["forgetBefore"] = (time) =>
      sql`DELETE FROM idempotent_answers WHERE claimed_at < ${time}`.pipe(
        Effect.asVoid,
        storeCall("IdempotentAnswers.forgetBefore")
      )

    return IdempotentAnswers.of({ claim, store, release, forgetBefore })
  })
)
