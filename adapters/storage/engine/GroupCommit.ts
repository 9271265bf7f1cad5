/**
 * One transaction for all the writes that wait for one: a single fsync makes them all durable. For writes that know
 * nothing of each other, such as quotes; each is durable once its call returns.
 *
 * A write that fails fails alone: the group is rolled back, and each of it is tried in a transaction of its own.
 * PostgreSQL groups commits itself, over connections that work side by side, so there every write is its own
 * transaction.
 */
import { Deferred, Effect, Exit, Queue } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { Engine } from "./Database.ts"

type Write = Effect.Effect<void, SqlError.SqlError>

interface Waiting {
  readonly write: Write
  readonly done: Deferred.Deferred<void, SqlError.SqlError>
}

/** Returns when whatever has arrived by now at this process had its turn: what comes of it may join the group. */
const afterArrivals = Effect.callback<void>((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})

/**
 * Carries a write out and returns when it is durable; its statements run in order, in one transaction. Ends with the
 * scope.
 */
export const makeGroupCommit = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  if ((yield* Engine) === "postgres") return (write: Write): Write => sql.withTransaction(write)
  const queue = yield* Queue.unbounded<Waiting>()

  const alone = ({ done, write }: Waiting) =>
    Effect.flatMap(Effect.exit(sql.withTransaction(write)), (exit) => Deferred.done(done, exit))

  const together = (group: ReadonlyArray<Waiting>) =>
    sql.withTransaction(Effect.forEach(group, ({ write }) => write, { discard: true })).pipe(
      Effect.exit,
      Effect.flatMap((exit) =>
        Exit.isSuccess(exit)
          ? Effect.forEach(group, ({ done }) => Deferred.succeed(done, undefined), { discard: true })
          : Effect.forEach(group, alone, { discard: true })
      )
    )

  const flush = Effect.gen(function*() {
    const first = yield* Queue.take(queue)
    yield* afterArrivals
    yield* together([first, ...yield* Queue.clear(queue)])
  })
  yield* Effect.forkScoped(Effect.forever(flush))

  return (write: Write): Write =>
    Effect.gen(function*() {
      const done = yield* Deferred.make<void, SqlError.SqlError>()
      yield* Queue.offer(queue, { write, done })
      yield* Deferred.await(done)
    })
})
