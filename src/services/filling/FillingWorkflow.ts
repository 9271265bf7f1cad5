/**
 * The durable identity of a filling: one execution for each deposit at the block in which it was sighted.
 *
 * The block is part of it because a deposit that a reorganisation took away may come back in another block, and then
 * has to be looked at again. Activity names are a schema: stored executions refer to them.
 */
import * as Schema from "effect/Schema"
import * as Workflow from "effect/workflow/Workflow"
import { Hex32 } from "../../domain/chain/Hex.ts"

export const FillingOutcome = Schema.Literals(["filled", "refunded", "gone", "foreign", "unrefundable"])
export type FillingOutcome = typeof FillingOutcome.Type

export const FillingWorkflow = Workflow.make("Filling", {
  payload: { onchainId: Hex32, blockHash: Schema.String },
  idempotencyKey: ({ blockHash, onchainId }) => `${onchainId}@${blockHash}`,
  success: FillingOutcome
})
