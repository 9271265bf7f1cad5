/** The durable identity of sweeping one balance. Activity names are a schema: stored executions refer to them. */
import * as Schema from "effect/Schema"
import * as Workflow from "effect/workflow/Workflow"
import { Hex32 } from "../../domain/encoding/Hex.ts"

/** `void`: there was nothing to sweep. Stored, so the words never change. */
export const SweepOutcome = Schema.Literals(["done", "void"])
export type SweepOutcome = typeof SweepOutcome.Type

export const SweepWorkflow = Workflow.make("Sweep", {
  /** `attempt` counts executions of the round that ended without a result. */
  payload: { id: Hex32, attempt: Schema.Int, round: Schema.Int },
  idempotencyKey: ({ attempt, id, round }) => `${id}#${round}@${attempt}`,
  success: SweepOutcome
})
