/**
 * Effect's storage of messages, except that a reply that ends a request is stored by one statement on PostgreSQL.
 * Effect uses a transaction with two statements, which is four round trips, five times for each filling. The rows and
 * the atomicity are the same.
 *
 * A reply that was stored, although the store's answer was lost, counts as stored. Otherwise Effect stores it again,
 * which is refused, and never tells the execution that waits for it: a filling would stand still until a restart.
 */
import { Effect, Layer } from "effect"
import { ClusterError, MessageStorage, Snowflake, SqlMessageStorage } from "effect/cluster"
import type { Reply } from "effect/cluster"
import { SqlClient } from "effect/sql"

/** The kind that Effect's own storage writes for a `WithExit` reply. */
const WITH_EXIT = 0

const make = Effect.gen(function*() {
  const sql = (yield* SqlClient.SqlClient).withoutTransforms()
  const encoded = yield* SqlMessageStorage.makeEncoded()
  const inOneStatement: typeof encoded.saveReply = (reply) =>
    reply._tag === "Chunk"
      ? encoded.saveReply(reply)
      : sql`WITH replied AS (
          UPDATE cluster_messages SET processed = TRUE, last_reply_id = ${reply.id} WHERE request_id = ${reply.requestId}
        )
        INSERT INTO cluster_replies ${
        sql.insert({
          id: reply.id,
          kind: WITH_EXIT,
          request_id: reply.requestId,
          payload: JSON.stringify(reply.exit),
          sequence: null
        })
      }`.pipe(Effect.asVoid, (saved) => ClusterError.PersistenceError.refail(saved), Effect.withTracerEnabled(false))
  const save = sql.onDialectOrElse({ pg: () => inOneStatement, orElse: () => encoded.saveReply })

  /** True when the request has ended with this very result. */
  const isSaved = ({ exit, requestId }: Reply.WithExitEncoded): Effect.Effect<boolean, ClusterError.PersistenceError> =>
    sql`SELECT payload FROM cluster_replies WHERE request_id = ${requestId} AND kind = ${WITH_EXIT}`.pipe(
      Effect.map((rows) => rows.some(({ payload }) => payload === JSON.stringify(exit))),
      (found) => ClusterError.PersistenceError.refail(found),
      Effect.withTracerEnabled(false)
    )

  return yield* MessageStorage.makeEncoded({
    ...encoded,
    saveReply: (reply) =>
      save(reply).pipe(
        Effect.catchTag("PersistenceError", (error) =>
          reply._tag === "Chunk"
            ? Effect.fail(error)
            : Effect.flatMap(isSaved(reply), (saved) => saved ? Effect.void : Effect.fail(error)))
      )
  })
})

/** Replaces `SqlMessageStorage.layer`. */
export const layer = Layer.effect(MessageStorage.MessageStorage, make).pipe(Layer.provide(Snowflake.layerGenerator))
