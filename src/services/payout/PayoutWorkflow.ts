/** The durable identity of paying one payout. Activity names are a schema: stored executions refer to them. */
import * as Schema from "effect/Schema"
import * as Workflow from "effect/workflow/Workflow"
import { Hex32 } from "../../domain/chain/Hex.ts"

export const PayoutOutcome = Schema.Literals(["paid", "returned"])
export type PayoutOutcome = typeof PayoutOutcome.Type

export const PayoutWorkflow = Workflow.make("Payout", {
  /** `attempt` counts executions that ended without a result. */
  payload: { id: Hex32, attempt: Schema.Int },
  idempotencyKey: ({ attempt, id }) => `${id}@${attempt}`,
  success: PayoutOutcome
})
