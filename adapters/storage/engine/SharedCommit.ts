/**
 * One COMMIT, and so one fsync, for all that is written in a turn of the event loop. Each transaction is a savepoint in
 * it: one that fails takes back its own writes alone.
 *
 * SECURITY: nothing that was read or written in the shared transaction is given out before the transaction is durable.
 * So a caller that goes on has what it would have by a COMMIT of its own. When the COMMIT fails, all fail.
 */
import { Effect, Exit } from "effect"
import type { SqlError } from "effect/sql"
import type { DatabaseSync } from "node:sqlite"
import { sqlFailure } from "./SqliteFailure.ts"

type Outcome = Exit.Exit<void, SqlError.SqlError>

/** Several transactions that are committed together. */
export interface CommitGroup {
  /** Undefined until it is committed or failed. */
  outcome: Outcome | undefined
  readonly waiting: Set<(outcome: Outcome) => void>
}

/** Returns when everything in the group is durable; fails when it is not, and was rolled back. */
export const untilDurable = (group: CommitGroup): Effect.Effect<void, SqlError.SqlError> =>
  Effect.suspend(() =>
    group.outcome ?? Effect.callback<void, SqlError.SqlError>((resume) => {
      group.waiting.add(resume)
      return Effect.sync(() => group.waiting.delete(resume))
    })
  )

export interface CommitGroups {
  /** Whoever holds the connection: no COMMIT comes in between. */
  readonly lend: Effect.Effect<void>
  /** The connection is free again: what is due is committed. */
  readonly giveBack: Effect.Effect<void>
  /** The group that is open, if any. */
  readonly open: () => CommitGroup | undefined
  /** The group that is open, or a new one. Fails with `SqlError` where no transaction begins. */
  readonly join: Effect.Effect<CommitGroup, SqlError.SqlError>
  /** Commits what is open now, for what does not run in a transaction. */
  readonly commit: Effect.Effect<void>
}

/** `shared` false: each transaction has a COMMIT of its own, where none costs an fsync. */
export const makeCommitGroups = (
  database: DatabaseSync,
  { begin, shared }: { readonly begin: string; readonly shared: boolean }
): CommitGroups => {
  let open: CommitGroup | undefined
  let isLent = false
  let isDue = false

  /** Also fails for what SQLite has rolled back by itself, as on a full disk. */
  const commitOnly = (): Outcome => {
    try {
      database.exec("COMMIT")
      return Exit.void
    } catch (cause) {
      return Exit.fail(sqlFailure("commit")(cause))
    }
  }

  const commit = (): void => {
    const group = open
    if (group === undefined) return
    open = undefined
    isDue = false
    group.outcome = commitOnly()
    for (const resume of group.waiting) resume(group.outcome)
  }

  const begun = (): CommitGroup => {
    if (open !== undefined && !database.isTransaction) commit()
    if (open !== undefined) return open
    // Left by a COMMIT that failed.
    if (database.isTransaction) database.exec("ROLLBACK")
    database.exec(begin)
    const group: CommitGroup = { outcome: undefined, waiting: new Set() }
    open = group
    isDue = !shared
    if (shared) {
      setImmediate(() => {
        if (open !== group) return
        if (isLent) isDue = true
        else commit()
      })
    }
    return group
  }

  return {
    lend: Effect.sync(() => {
      isLent = true
    }),
    giveBack: Effect.sync(() => {
      isLent = false
      if (isDue) commit()
    }),
    open: () => open,
    join: Effect.try({ try: begun, catch: sqlFailure("begin") }),
    commit: Effect.sync(commit)
  }
}
