/**
 * Effect's storage of messages, except that a reply that ends a request is stored by one statement on PostgreSQL.
 * Effect uses a transaction with two statements, which is four round trips, five times for each filling. The rows and
 * the atomicity are the same.
 *
 * A reply that was stored, although the store's answer was lost, counts as stored. One that could not be stored is
 * stored again until the store answers, however long that takes. Otherwise Effect gives up after a second and never
 * tells the execution that waits for it: a filling would stand still until a restart.
 */
import { Effect, Layer, Schedule } from "effect"
import { ClusterError, MessageStorage, Snowflake, SqlMessageStorage } from "effect/cluster"
import type { Reply } from "effect/cluster"
import { SqlClient } from "effect/sql"

/** The kind that Effect's own storage writes for a `WithExit` reply. */
const WITH_EXIT = 0

const patience = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])

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

  /** How the request has ended: with this very result, with another one that another runner stored, or not yet. */
  const ending = (
    { exit, requestId }: Reply.WithExitEncoded
  ): Effect.Effect<"so" | "otherwise" | "open", ClusterError.PersistenceError> =>
    sql`SELECT payload FROM cluster_replies WHERE request_id = ${requestId} AND kind = ${WITH_EXIT}`.pipe(
      Effect.map((rows) => {
        if (rows.length === 0) return "open"
        return rows.some(({ payload }) => payload === JSON.stringify(exit)) ? "so" : "otherwise"
      }),
      (found) => ClusterError.PersistenceError.refail(found),
      Effect.withTracerEnabled(false)
    )

  const saveUntilStored = (reply: Reply.WithExitEncoded): Effect.Effect<void, ClusterError.PersistenceError> => {
    const attempt = save(reply).pipe(
      Effect.as(true),
      Effect.catchTag("PersistenceError", (error) =>
        ending(reply).pipe(
          Effect.catchTag("PersistenceError", () => Effect.succeed("open" as const)),
          Effect.flatMap((ended) => ended === "otherwise" ? Effect.fail(error) : Effect.succeed(ended === "so"))
        ))
    )
    // A process that ends does not wait for a store that does not answer: the step is then done again, as after a crash.
    return Effect.asVoid(
      Effect.interruptible(Effect.repeat(attempt, { schedule: patience, until: (stored) => stored }))
    )
  }

  return yield* MessageStorage.makeEncoded({
    ...encoded,
    saveReply: (reply) => reply._tag === "Chunk" ? save(reply) : saveUntilStored(reply)
  })
})

/** Replaces `SqlMessageStorage.layer`. */
export const layer = Layer.effect(MessageStorage.MessageStorage, make).pipe(Layer.provide(Snowflake.layerGenerator))
