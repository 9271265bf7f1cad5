/**
 * Effect's storage of messages, except that a reply that ends a request is stored by one statement on PostgreSQL.
 * Effect uses a transaction with two statements, which is four round trips, five times for each filling. The rows and
 * the atomicity are the same.
 */
import { Effect, Layer } from "effect"
import { ClusterError, MessageStorage, Snowflake, SqlMessageStorage } from "effect/cluster"
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
  return yield* MessageStorage.makeEncoded({
    ...encoded,
    saveReply: sql.onDialectOrElse({ pg: () => inOneStatement, orElse: () => encoded.saveReply })
  })
})

/** Replaces `SqlMessageStorage.layer`. */
export const layer = Layer.effect(MessageStorage.MessageStorage, make).pipe(Layer.provide(Snowflake.layerGenerator))
