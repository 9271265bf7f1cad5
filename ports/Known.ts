/**
 * Effects whose value is there already. What is only for those that still have to do something is left out of them, so
 * that they take no step.
 */
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** True for an effect that has succeeded already. */
export const isKnown = <A, E, R>(effect: Effect.Effect<A, E, R>): effect is Exit.Success<A> =>
  Exit.isExit(effect) && Exit.isSuccess(effect)

/** `handled` catches failures of the effect, or waits for it. */
export const unlessKnown = <A, E, R, B, E2, R2>(
  effect: Effect.Effect<A, E, R>,
  handled: (effect: Effect.Effect<A, E, R>) => Effect.Effect<B, E2, R2>
): Effect.Effect<A | B, E2, R2> => isKnown(effect) ? effect : handled(effect)
