/** The durable identity of paying one payout. Activity names are a schema: stored executions refer to them. */
import * as Schema from "effect/Schema"
import * as Workflow from "effect/workflow/Workflow"
import { Hex32 } from "../../domain/encoding/Hex.ts"

/** `returned`: it can never be paid, and its reservation was released. Stored, so the words never change. */
export const PayoutOutcome = Schema.Literals(["paid", "returned"])
export type PayoutOutcome = typeof PayoutOutcome.Type

export const PayoutWorkflow = Workflow.make("Payout", {
  /**
   * `attempt` counts executions of the round that ended without a result. Rows from before rounds existed are in the
   * first round.
   */
  payload: { id: Hex32, attempt: Schema.Int, round: Schema.optionalKey(Schema.Int) },
  idempotencyKey: ({ attempt, id, round = 0 }) => round === 0 ? `${id}@${attempt}` : `${id}#${round}@${attempt}`,
  success: PayoutOutcome
})
