/**
 * Every step of a sweep with what is stored of its result: names and schemas of the store, like those of
 * `FillingSteps`.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import { OrderId } from "../../domain/order/Order.ts"
import { SweepOutcome } from "./SweepWorkflow.ts"

/** What is stored of each step's result. No step fails: what is not done yet is tried again. */
export const sweepSteps = {
  "sweep.order": OrderId,
  "sweep.make": Schema.Struct({ outcome: SweepOutcome, height: Schema.BigIntFromString }),
  "sweep.close": Schema.Void,
  "sweep.guard": Schema.Void
} as const

type SweepStep = keyof typeof sweepSteps

/** Runs a step once for its execution, or again as long as it has not completed. */
export const step = <Name extends SweepStep, R>(
  name: Name,
  execute: Effect.Effect<(typeof sweepSteps)[Name]["Type"], never, R>
) => Activity.make({ name, success: sweepSteps[name], execute })
