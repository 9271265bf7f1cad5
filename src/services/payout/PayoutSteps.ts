/**
 * Every step of a payout with the schema of its stored result. Names and schemas belong to the store's schema, as in
 * `FillingSteps`.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import { PayoutOutcome } from "./PayoutWorkflow.ts"

/** The stored result of each step. Steps never fail: what is not done yet is retried. */
export const payoutSteps = {
  "payout.pay": PayoutOutcome,
  "payout.guard": PayoutOutcome,
  "payout.close": Schema.Void
} as const

type PayoutStep = keyof typeof payoutSteps

/** Runs a step once per execution, and again until it has completed. */
export const step = <Name extends PayoutStep, R>(
  name: Name,
  execute: Effect.Effect<(typeof payoutSteps)[Name]["Type"], never, R>
) => Activity.make({ name, success: payoutSteps[name], execute })
