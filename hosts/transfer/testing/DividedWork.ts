/**
 * Waits until two workers over one PostgreSQL have divided their work: each holds about half of the shards. Fails with
 * the output of a worker that ends instead.
 */
import { Effect, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { layerDatabase } from "../../../adapters/storage/engine/Database.ts"
import type { HostProcess } from "./HostProcess.ts"
import { eventually } from "./Misbehaving.ts"

/** The shards that each session holds, by its locks. A runner's other lock is one, and so never half of them. */
const LOOK = `
  SELECT COUNT(*)::int AS held FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND objsubid = 2
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  GROUP BY pid HAVING COUNT(*) > 1`

const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ held: Schema.Int })))

export const untilDivided = (url: string, workers: ReadonlyArray<HostProcess>) => {
  const divided = eventually(
    "the work is divided between the workers",
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(LOOK)).pipe(
      Effect.provide(layerDatabase(Redacted.make(url))),
      Effect.flatMap(decode),
      Effect.map((sessions) => sessions.map(({ held }) => held)),
      Effect.orDie
    ),
    ([one = 0, other = 0]) => Math.min(one, other) * 3 > Math.max(one, other)
  )
  const ended = ({ ended, output }: HostProcess) =>
    Effect.flatMap(ended, () => Effect.die(new Error(`a worker ended:\n${output()}`)))
  return Effect.raceAllFirst([divided, ...workers.map(ended)])
}
