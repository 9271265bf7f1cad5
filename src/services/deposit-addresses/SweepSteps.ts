/**
 * Every step of a sweep with the schema of its stored result. Names and schemas belong to the store's schema, as in
 * `FillingSteps`.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import { OrderId } from "../../domain/order/Order.ts"
import { SweepOutcome } from "./SweepWorkflow.ts"

/** The stored result of each step. Steps never fail: what is not done yet is retried. */
export const sweepSteps = {
  "sweep.order": OrderId,
  "sweep.make": Schema.Struct({ outcome: SweepOutcome, height: Schema.BigIntFromString }),
  "sweep.close": Schema.Void,
  "sweep.guard": Schema.Void
} as const

type SweepStep = keyof typeof sweepSteps

/** Runs a step once per execution, and again until it has completed. */
export const step = <Name extends SweepStep, R>(
  name: Name,
  execute: Effect.Effect<(typeof sweepSteps)[Name]["Type"], never, R>
) => Activity.make({ name, success: sweepSteps[name], execute })
