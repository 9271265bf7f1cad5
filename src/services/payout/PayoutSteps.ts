/**
 * Every step of a payout with what is stored of its result: names and schemas of the store, like those of
 * `FillingSteps`.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import { PayoutOutcome } from "./PayoutWorkflow.ts"

/** What is stored of each step's result. No step fails: what is not done yet is tried again. */
export const payoutSteps = {
  "payout.pay": PayoutOutcome,
  "payout.guard": PayoutOutcome,
  "payout.close": Schema.Void
} as const

type PayoutStep = keyof typeof payoutSteps

/** Runs a step once for its execution, or again as long as it has not completed. */
export const step = <Name extends PayoutStep, R>(
  name: Name,
  execute: Effect.Effect<(typeof payoutSteps)[Name]["Type"], never, R>
) => Activity.make({ name, success: payoutSteps[name], execute })
