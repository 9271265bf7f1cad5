/**
 * The workflow engine's backlog, from its own tables (`engine/WorkflowEngine.ts`), which keep what has ended: an index
 * of what has not keeps the question cheap however much has. An execution asleep counts by its stored clock.
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
      // The condition is that of the index, in its words.
      unfinished: sql`SELECT COUNT(DISTINCT entity_id) AS count FROM cluster_messages
                      WHERE processed = FALSE AND entity_type LIKE 'Workflow/%'`.pipe(
        Effect.flatMap(decodeCount),
        Effect.map(([{ count }]) => count),
        storeCall("Workflows.unfinished")
      )
    }))
)
