/**
 * Every step of a filling with the schema of its stored result. Activities are made here and nowhere else.
 *
 * An execution knows a completed step by its name alone, and its stored result is decoded by its schema, also by later
 * versions of this program. So names and schemas belong to the store's schema: docs/stored-work.json lists all that
 * ever existed, and a test refuses changes that would break a stored filling.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import { FinalVerdict } from "../../domain/transfer/deposit/JudgeDeposit.ts"
import { Confirmation } from "./ConfirmDeposit.ts"
import { FillResultStored } from "./FillResult.ts"
import { FillingOutcome } from "./FillingWorkflow.ts"

/** The stored result of each step. Steps never fail: what is not done yet is retried. */
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
  "found.pay": FillResultStored,
  "found.guard": FillResultStored,
  "excess.pay": Schema.Literals(["paid", "recorded"]),
  "excess.guard": Schema.Void,
  "refund.pay": FillingOutcome,
  "refund.guard": Schema.Void,
  "refund.kept": FillingOutcome,
  close: Schema.Void
} as const

/** The name of a stored step. */
export type FillingStep = keyof typeof fillingSteps

/** Runs a step once per execution, and again until it has completed. */
export const step = <Name extends FillingStep, R>(
  name: Name,
  execute: Effect.Effect<(typeof fillingSteps)[Name]["Type"], never, R>
) => Activity.make({ name, success: fillingSteps[name], execute })
