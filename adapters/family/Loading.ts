/** Loads adapters on first use, so that importing a family's value costs nothing. */
import { Effect, Layer } from "effect"
import { ChainFacts } from "../../ports/chain/ChainFacts.ts"
import { makeFacts } from "../quorum/ReadingFacts.ts"
import type { FamilyCheck } from "../quorum/ReadingFacts.ts"
import type { Observing } from "./ChainFamily.ts"

/** The module's layer, loaded when the layer is built. */
export const loaded = <A, E, R>(load: () => Promise<Layer.Layer<A, E, R>>): Layer.Layer<A, E, R> =>
  Layer.unwrap(Effect.promise(load))

/** The facts that a family's check reads under a quorum. */
export const factsOf = <Client>(load: () => Promise<FamilyCheck<Client>>): Observing["facts"] => (endpoints) =>
  Layer.effect(ChainFacts, Effect.flatMap(Effect.promise(load), (check) => makeFacts(check, endpoints)))
