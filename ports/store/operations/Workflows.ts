/** Counts of durable workflows: how many still have work to do. Does not run them. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** How many durable executions still have work to do. */
export class Workflows extends Context.Service<Workflows, {
  /** Executions that have started and not ended: running, waiting for a retry of a step, or asleep. */
  readonly unfinished: Effect.Effect<number, StoreUnavailable>
}>()("causeway/ports/Workflows") {}
