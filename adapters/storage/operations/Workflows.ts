/**
 * The workflow engine's backlog, read from its own tables (`cluster/WorkflowEngine.ts`). They keep ended executions, so
 * an index of those that have not ended keeps the query cheap. A sleeping execution counts by its stored clock.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Workflows } from "../../../ports/store/operations/Workflows.ts"
import { SqlCount } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"

const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: SqlCount })]))

/** Needs the engine's tables: provide it beside the engine. */
export const layer = Layer.effect(
  Workflows,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Workflows.of({
      // The same condition as the index, written in the same way, and its columns: else SQLite reads all that ever ran,
      // by the index of executions.
      unfinished: sql`SELECT COUNT(DISTINCT entity_id) AS count FROM (SELECT DISTINCT entity_type, entity_id
                      FROM cluster_messages WHERE processed = FALSE AND entity_type LIKE 'Workflow/%') AS unfinished`
        .pipe(
          Effect.flatMap(decodeCount),
          Effect.map(([{ count }]) => count),
          storeCall("Workflows.unfinished")
        )
    }))
)
