/**
 * Deletes finished executions from the workflow engine's tables (effect keeps them without limit).
 *
 * Only completed executions are deleted. Running, suspended and failed ones stay. A child stays as long as its parent,
 * because a parent that runs again asks for the child's result. The engine forgets a deleted execution: the same
 * idempotency key would run it again. So call this from a job, for an age beyond which no such key can come again, and
 * still guard money by the ledger's own keys.
 */
import { Clock, Duration, Effect, Schema } from "effect"
import { MachineId, Snowflake } from "effect/cluster"
import { SqlClient } from "effect/sql"

const BATCH = 500
const CLOCK = "Workflow/-/DurableClock"

/** The reply that completes a run, in the engine's wire form. A suspended run has another reply. */
const Complete = Schema.fromJsonString(
  Schema.TaggedStruct("Success", { value: Schema.TaggedStruct("Complete", {}) })
)
const isComplete = (reply: string): boolean => Schema.decodeOption(Complete)(reply)._tag === "Some"

/** A run's payload names its parent under a key that the engine defines. */
const Payload = Schema.fromJsonString(Schema.Struct({
  "~effect/cluster/ClusterWorkflowEngine/payloadParentKey": Schema.optionalKey(
    Schema.Struct({ executionId: Schema.String })
  )
}))
const parentOf = (payload: string): string | undefined => {
  const decoded = Schema.decodeOption(Payload)(payload)
  return decoded._tag === "None"
    ? undefined
    : decoded.value["~effect/cluster/ClusterWorkflowEngine/payloadParentKey"]?.executionId
}

interface Run {
  readonly id: string
  readonly execution: string
  readonly payload: string
  readonly reply: string
}

/** One batch of runs that ended before `before`, in order of id, after the id `after`. */
const endedRuns = (sql: SqlClient.SqlClient, before: bigint, after: bigint) =>
  sql<Run>`
    SELECT CAST(m.id AS TEXT) AS id, m.entity_id AS execution, m.payload AS payload, r.payload AS reply
    FROM cluster_messages m JOIN cluster_replies r ON r.request_id = m.id AND r.kind = 0
    WHERE m.tag = 'run' AND m.kind = 0 AND m.entity_type <> ${CLOCK} AND m.entity_type LIKE 'Workflow/%'
      AND m.id > ${after} AND r.id < ${before}
    ORDER BY m.id LIMIT ${sql.literal(String(BATCH))}`

/** Those of the executions whose run is still in the tables. */
const present = (sql: SqlClient.SqlClient, executions: ReadonlyArray<string>) =>
  executions.length === 0
    ? Effect.succeed(new Set<string>())
    : Effect.map(
      sql<{ readonly execution: string }>`
        SELECT entity_id AS execution FROM cluster_messages WHERE tag = 'run' AND ${sql.in("entity_id", executions)}`,
      (rows) => new Set(rows.map((row) => row.execution))
    )

const remove = (sql: SqlClient.SqlClient, executions: ReadonlyArray<string>) =>
  sql.withTransaction(Effect.gen(function*() {
    yield* sql`DELETE FROM cluster_replies WHERE request_id IN (
      SELECT id FROM cluster_messages WHERE ${sql.in("entity_id", executions)})`
    yield* sql`DELETE FROM cluster_messages WHERE ${sql.in("entity_id", executions)}`
  }))

/** One pass over the ended runs. Returns how many it deleted. */
const pass = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, before: bigint) {
  let removed = 0
  let after = 0n
  while (true) {
    const ended = yield* endedRuns(sql, before, after)
    const last = ended.at(-1)
    if (last === undefined) return removed
    after = BigInt(last.id)
    const complete = ended.filter((run) => isComplete(run.reply))
    const parents = yield* present(sql, complete.flatMap((run) => parentOf(run.payload) ?? []))
    const free = complete.filter((run) => !parents.has(parentOf(run.payload) ?? "")).map((run) => run.execution)
    if (free.length > 0) yield* remove(sql, free)
    removed += free.length
  }
})

/**
 * Deletes executions that completed longer ago than `olderThan`, and returns how many. The age is at least a minute,
 * because the engine may hold them in memory until then. May run in several processes at once. Fails with `SqlError`;
 * run it again.
 */
export const cleanFinishedWorkflows = Effect.fn("cleanFinishedWorkflows")(function*(olderThan: Duration.Input) {
  const sql = yield* SqlClient.SqlClient
  const age = Math.max(Duration.toMillis(Duration.fromInputUnsafe(olderThan)), 60_000)
  const before = Snowflake.make({
    timestamp: (yield* Clock.currentTimeMillis) - age,
    machineId: MachineId.make(0),
    sequence: 0
  })
  let removed = 0
  // Deleting a parent in one pass allows its children to be deleted in the next.
  while (true) {
    const more = yield* pass(sql, before)
    if (more === 0) return removed
    removed += more
  }
})
