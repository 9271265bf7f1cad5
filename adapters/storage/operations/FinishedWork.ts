/** Deletes ended executions from the workflow engine's own tables, which exist once an engine has run on the store. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { FinishedWork } from "../../../ports/store/operations/FinishedWork.ts"
import { cleanFinishedWorkflows } from "../cluster/CleanFinishedWorkflows.ts"
import { storeCall } from "../StoreCall.ts"

export const layer = Layer.effect(
  FinishedWork,
  Effect.map(SqlClient.SqlClient, (sql) =>
    FinishedWork.of({
      forget: (olderThan) =>
        cleanFinishedWorkflows(olderThan).pipe(
          Effect.provideService(SqlClient.SqlClient, sql),
          storeCall("FinishedWork.forget")
        )
    }))
)
