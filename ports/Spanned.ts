/**
 * A span while traces are collected, and nothing otherwise, nor for what is known already. For what runs in every
 * request: `Effect.fn` with a name makes a span and an error with its stack each time, whether or not anybody listens.
 * The name says which call it is: a stack for each would cost a hundredth of a quote.
 */
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import { isKnown } from "./Known.ts"

/** `name`: of the span, such as "Quoting.price". */
export const spanned = (name: string) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  isKnown(effect) ? effect : Effect.withFiber((fiber) =>
    fiber.getRef(References.TracerEnabled)
      ? effect.pipe(Effect.withSpan(name, undefined, { captureStackTrace: false }))
      : effect
  )
