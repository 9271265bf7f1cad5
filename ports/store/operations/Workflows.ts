/** What is known of the durable workflows beside their running: how much is still to be done. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

export class Workflows extends Context.Service<Workflows, {
  /** Executions that have begun and not ended: running, waiting for a step to be tried again, or asleep. */
  readonly unfinished: Effect.Effect<number, StoreUnavailable>
}>()("causeway/ports/Workflows") {}
