/**
 * One COMMIT, and so one fsync, for everything written in one turn of the event loop. Each transaction is a savepoint
 * in it, and one that fails rolls back only its own writes.
 *
 * SECURITY: nothing that was read or written in the shared transaction is returned before the transaction is durable.
 * So a caller has the same guarantee as with a COMMIT of its own. When the COMMIT fails, all of them fail.
 */
import { Effect, Exit } from "effect"
import type { SqlError } from "effect/sql"
import type { DatabaseSync } from "node:sqlite"
import { sqlFailure } from "./SqliteFailure.ts"

type Outcome = Exit.Exit<void, SqlError.SqlError>

/** Several transactions that are committed together. */
export interface CommitGroup {
  /** Undefined until the group is committed or has failed. */
  outcome: Outcome | undefined
  readonly waiting: Set<(outcome: Outcome) => void>
}

/** Returns when everything in the group is durable. Fails when the group was rolled back. */
export const untilDurable = (group: CommitGroup): Effect.Effect<void, SqlError.SqlError> =>
  Effect.suspend(() =>
    group.outcome ?? Effect.callback<void, SqlError.SqlError>((resume) => {
      group.waiting.add(resume)
      return Effect.sync(() => group.waiting.delete(resume))
    })
  )

export interface CommitGroups {
  /** Marks the connection as in use: no COMMIT runs until `giveBack`. */
  readonly lend: Effect.Effect<void>
  /** Marks the connection as free, and commits a group that is due. */
  readonly giveBack: Effect.Effect<void>
  /** The open group, if there is one. */
  readonly open: () => CommitGroup | undefined
  /** The open group, or a new one. Fails with `SqlError` when no transaction can begin. */
  readonly join: Effect.Effect<CommitGroup, SqlError.SqlError>
  /** Commits the open group, for a statement that cannot run inside a transaction. */
  readonly commit: Effect.Effect<void>
}

/** `shared` false: each transaction has a COMMIT of its own, for stores where a COMMIT costs no fsync. */
export const makeCommitGroups = (
  database: DatabaseSync,
  { begin, committed, shared }: {
    readonly begin: string
    readonly shared: boolean
    /** Called after each COMMIT that succeeded. */
    readonly committed: () => void
  }
): CommitGroups => {
  let open: CommitGroup | undefined
  let isLent = false
  let isDue = false

  /** Also fails when SQLite has rolled back the transaction by itself, as on a full disk. */
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
    // First: whoever goes on may begin the next transaction at once.
    if (Exit.isSuccess(group.outcome)) committed()
    for (const resume of group.waiting) resume(group.outcome)
  }

  const begun = (): CommitGroup => {
    if (open !== undefined && !database.isTransaction) commit()
    if (open !== undefined) return open
    // A COMMIT that failed has left this transaction open.
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
