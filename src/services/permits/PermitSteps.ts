/**
 * Every step of a permit with the schema of its stored result. Names and schemas belong to the store's schema, as in
 * `FillingSteps`.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import { PermitOutcome } from "./PermitWorkflow.ts"

/** The stored result of each step. Steps never fail: what is not done yet is retried. */
export const permitSteps = {
  "permit.make": PermitOutcome,
  "permit.close": Schema.Void,
  "permit.guard": Schema.Void
} as const

type PermitStep = keyof typeof permitSteps

/** Runs a step once per execution, and again until it has completed. */
export const step = <Name extends PermitStep, R>(
  name: Name,
  execute: Effect.Effect<(typeof permitSteps)[Name]["Type"], never, R>
) => Activity.make({ name, success: permitSteps[name], execute })
