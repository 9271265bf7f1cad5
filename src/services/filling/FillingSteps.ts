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
import { FailReason } from "../../domain/transfer/FailReason.ts"
import { FinalVerdict } from "../../domain/transfer/deposit/JudgeDeposit.ts"
import { Confirmation } from "./ConfirmDeposit.ts"
import { FillingOutcome } from "./FillingWorkflow.ts"

/** Why the order is not filled, or that it is. */
const Unfilled = Schema.Union([FailReason, Schema.Literal("none")])

/** What is stored of each step's result. No step fails: what is not done yet is tried again. */
export const fillingSteps = {
  confirm: Confirmation,
  decide: FinalVerdict,
  "decide.again": FinalVerdict,
  "fill.pay": Unfilled,
  "fill.guard": Unfilled,
  "fill.again.pay": Unfilled,
  "fill.again.guard": Unfilled,
  "fallback.pay": Unfilled,
  "fallback.guard": Unfilled,
  "fallback.again.pay": Unfilled,
  "fallback.again.guard": Unfilled,
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
