/**
 * Notices of PostgreSQL, by LISTEN on a connection beside the pool. Probes of TCP find a connection that was dropped
 * silently.
 */
import { PgClient, PgConnection } from "@effect/sql-pg"
import { Effect, Layer, Queue } from "effect"
import { CHANNEL, LISTENING, Notices } from "./Notices.ts"

export const layer = Layer.effect(
  Notices,
  Effect.map(PgClient.PgClient, (client) =>
    Notices.of({
      subscribe: Effect.gen(function*() {
        const connection = yield* PgConnection.make({ ...client.config, keepAlive: "20 seconds" })
        const heard = yield* connection.listen(CHANNEL)
        // To oneself: a pooler that forwards no notifications is recognised by its silence.
        yield* client.notify(CHANNEL, LISTENING)
        return Effect.map(Queue.takeAll(heard), (notices) => notices.map(({ payload }) => payload))
      })
    }))
)
