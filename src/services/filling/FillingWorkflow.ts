/**
 * The durable identity of a filling: one execution for each sighting of a deposit.
 *
 * A deposit that a reorg removed may come back, in another block or in the same one. It is then judged again, as a new
 * sighting. Activity names are a schema: stored executions refer to them.
 */
import * as Schema from "effect/Schema"
import * as Workflow from "effect/workflow/Workflow"
import { Hex32 } from "../../domain/encoding/Hex.ts"

/** How a filling ended. Stored and counted, so the words never change. */
export const FillingOutcome = Schema.Literals(["filled", "refunded", "gone", "foreign", "unrefundable"])
export type FillingOutcome = typeof FillingOutcome.Type

export const FillingWorkflow = Workflow.make("Filling", {
  payload: { onchainId: Hex32, sighting: Schema.Int },
  idempotencyKey: ({ onchainId, sighting }) => `${onchainId}@${sighting}`,
  success: FillingOutcome
})
