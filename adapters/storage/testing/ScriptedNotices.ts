/**
 * The adapter of `StoreNotices` over a connection that a test controls: what was committed is told, or lost, and the
 * connection is cut.
 */
import { Cause, Effect, Layer, Queue } from "effect"
import { SqlError } from "effect/sql"
import type { StoreTopic } from "../../../ports/store/operations/StoreNotices.ts"
import { LISTENING, Notices } from "../engine/notices/Notices.ts"
import * as SqlStoreNotices from "../operations/StoreNotices.ts"

const broken = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({ message: "cut", operation: "test", cause: new Error("cut") })
})

export const makeScriptedNotices = () => {
  let connection: Queue.Queue<string, SqlError.SqlError> | undefined
  const subscribe = Effect.gen(function*() {
    const heard = yield* Queue.unbounded<string, SqlError.SqlError>()
    connection = heard
    Queue.offerUnsafe(heard, LISTENING)
    return Queue.takeAll(heard)
  })
  return {
    layer: Layer.fresh(SqlStoreNotices.layer).pipe(Layer.provide(Layer.succeed(Notices, { subscribe }))),
    /** True when the process is connected. */
    tell: (topic: StoreTopic) => Effect.sync(() => connection !== undefined && Queue.offerUnsafe(connection, topic)),
    cut: Effect.sync(() => {
      if (connection !== undefined) Queue.failCauseUnsafe(connection, Cause.fail(broken))
      connection = undefined
    })
  }
}
