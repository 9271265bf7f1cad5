/**
 * A loop of the service: a turn, a pause, and again for as long as its fiber runs. Its one name is used in logs,
 * metrics and alarms. A turn that fails or dies is retried: only interruption ends a loop.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Step } from "../quoting/Steps.ts"
import { retryForever } from "./RetryForever.ts"
import type { Transient } from "./RetryForever.ts"

/** `every`: the pause after a successful turn. It may depend on the turn's result. */
export const poll =
  <A = unknown>(name: Step, every: Duration.Input | ((found: A) => Duration.Input)) =>
  <E extends Transient, R>(turn: Effect.Effect<A, E, R>): Effect.Effect<never, never, R> =>
    turn.pipe(
      retryForever(name),
      Effect.flatMap((found) => Effect.sleep(typeof every === "function" ? every(found) : every)),
      Effect.forever
    )
