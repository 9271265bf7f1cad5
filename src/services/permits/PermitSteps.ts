/**
 * Every step of a permit with what is stored of its result: names and schemas of the store, like those of
 * `FillingSteps`.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import { PermitOutcome } from "./PermitWorkflow.ts"

/** What is stored of each step's result. No step fails: what is not done yet is tried again. */
export const permitSteps = {
  "permit.make": PermitOutcome,
  "permit.close": Schema.Void,
  "permit.guard": Schema.Void
} as const

type PermitStep = keyof typeof permitSteps

/** Runs a step once for its execution, or again as long as it has not completed. */
export const step = <Name extends PermitStep, R>(
  name: Name,
  execute: Effect.Effect<(typeof permitSteps)[Name]["Type"], never, R>
) => Activity.make({ name, success: permitSteps[name], execute })
