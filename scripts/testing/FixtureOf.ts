/** What a suite runs on, as a service with its layer: made once, by whatever starts it. */
import { Context, Layer } from "effect"
import type { Effect, Scope } from "effect"

/** `class Running extends fixtureOf<Running>()("test/Swaps", startFixture(startNetwork)) {}`. */
export const fixtureOf =
  <Self>() => <const Id extends string, A, E>(id: Id, make: Effect.Effect<A, E, Scope.Scope>) => {
    const service = Context.Service<Self, A>()(id)
    return Object.assign(service, { layer: Layer.effect(service, make) })
  }
