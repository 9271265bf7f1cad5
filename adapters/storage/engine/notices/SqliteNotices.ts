/**
 * Notices of SQLite, within the process that owns the file. Triggers count each topic's changes in a table
 * (`store_notices`), and the counts are compared after each COMMIT: what was rolled back has counted nothing.
 */
import { Effect, Queue } from "effect"
import type { Scope } from "effect"
import type { SqlError } from "effect/sql"
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { LISTENING } from "./Notices.ts"
import type { Notices } from "./Notices.ts"
import { sqlFailure } from "../SqliteFailure.ts"

type Counts = ReadonlyMap<string, unknown>

export interface SqliteNotices {
  readonly service: Notices["Service"]
  /** Called after each COMMIT. */
  readonly committed: () => void
}

export const makeSqliteNotices = (database: DatabaseSync): SqliteNotices => {
  const listeners = new Set<Queue.Queue<string>>()
  let statement: StatementSync | undefined
  let before: Counts = new Map()

  const read = (): Counts => {
    statement ??= database.prepare("SELECT topic, changes FROM store_notices")
    return new Map(statement.all().map(({ changes, topic }) => [String(topic), changes]))
  }

  const committed = (): void => {
    // A listener has read the table already, so it is there.
    if (listeners.size === 0) return
    let now: Counts
    try {
      now = read()
    } catch {
      // The commit stands. Its notice is lost, or comes with the next one.
      return
    }
    const changed = [...now].filter(([topic, changes]) => before.get(topic) !== changes)
    before = now
    for (const [topic] of changed) for (const queue of listeners) Queue.offerUnsafe(queue, topic)
  }

  const subscribe: Effect.Effect<
    Effect.Effect<ReadonlyArray<string>, SqlError.SqlError>,
    SqlError.SqlError,
    Scope.Scope
  > = Effect.gen(function*() {
    const heard = yield* Queue.unbounded<string>()
    const counts = yield* Effect.try({ try: read, catch: sqlFailure("subscribe") })
    if (listeners.size === 0) before = counts
    listeners.add(heard)
    Queue.offerUnsafe(heard, LISTENING)
    yield* Effect.addFinalizer(() => Effect.sync(() => listeners.delete(heard)))
    return Queue.takeAll(heard)
  })

  return { service: { subscribe }, committed }
}
