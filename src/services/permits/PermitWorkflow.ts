/** The durable identity of submitting one permit. Activity names are a schema: stored executions refer to them. */
import * as Schema from "effect/Schema"
import * as Workflow from "effect/workflow/Workflow"
import { Hex32 } from "../../domain/encoding/Hex.ts"

/** `void`: the permit will not be submitted. Stored, so the words never change. */
export const PermitOutcome = Schema.Literals(["done", "void"])
export type PermitOutcome = typeof PermitOutcome.Type

export const PermitWorkflow = Workflow.make("Permit", {
  /** `attempt` counts executions of the round that ended without a result. */
  payload: { id: Hex32, attempt: Schema.Int, round: Schema.Int },
  idempotencyKey: ({ attempt, id, round }) => `${id}#${round}@${attempt}`,
  success: PermitOutcome
})
