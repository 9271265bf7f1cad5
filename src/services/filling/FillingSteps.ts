/**
 * Every step of a filling with what is stored of its result: the one place where an activity is made.
 *
 * A step that completed is known to its execution by its name alone, and its stored result is decoded by its schema,
 * also by the version of this program that comes next. So names and schemas are a schema of the store:
 * docs/stored-work.json holds all that ever were, and a test refuses a change that a stored filling could not bear.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import { FinalVerdict } from "../../domain/transfer/deposit/JudgeDeposit.ts"
import { Confirmation } from "./ConfirmDeposit.ts"
import { FillResultStored } from "./FillResult.ts"
import { FillingOutcome } from "./FillingWorkflow.ts"

/** What is stored of each step's result. No step fails: what is not done yet is tried again. */
export const fillingSteps = {
  confirm: Confirmation,
  decide: FinalVerdict,
  "decide.again": FinalVerdict,
  "fill.pay": FillResultStored,
  "fill.guard": FillResultStored,
  "fill.again.pay": FillResultStored,
  "fill.again.guard": FillResultStored,
  "fallback.pay": FillResultStored,
  "fallback.guard": FillResultStored,
  "fallback.again.pay": FillResultStored,
  "fallback.again.guard": FillResultStored,
  "excess.pay": Schema.Literals(["paid", "recorded"]),
  "excess.guard": Schema.Void,
  "refund.pay": FillingOutcome,
  "refund.guard": Schema.Void,
  "refund.kept": FillingOutcome,
  close: Schema.Void
} as const

export type FillingStep = keyof typeof fillingSteps

/** Runs a step once for its execution, or again as long as it has not completed. */
export const step = <Name extends FillingStep, R>(
  name: Name,
  execute: Effect.Effect<(typeof fillingSteps)[Name]["Type"], never, R>
) => Activity.make({ name, success: fillingSteps[name], execute })
