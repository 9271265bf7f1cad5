/**
 * A loop of the service: a turn, a rest, and again for as long as its fiber runs. It has one name, by which its
 * failures are logged, counted and alarmed. A turn that fails, or meets a defect, is tried again: nothing but an
 * interruption ends a loop.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Step } from "../quoting/Steps.ts"
import { retryForever } from "./RetryForever.ts"
import type { Transient } from "./RetryForever.ts"

/** `every`: how long it rests after a turn that worked, where need be by what the turn found. */
export const poll =
  <A = unknown>(name: Step, every: Duration.Input | ((found: A) => Duration.Input)) =>
  <E extends Transient, R>(turn: Effect.Effect<A, E, R>): Effect.Effect<never, never, R> =>
    turn.pipe(
      retryForever(name),
      Effect.flatMap((found) => Effect.sleep(typeof every === "function" ? every(found) : every)),
      Effect.forever
    )
