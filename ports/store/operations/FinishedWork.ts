/** What durable work leaves behind once it has ended: the engine's own rows, which nobody asks for any more. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

export class FinishedWork extends Context.Service<FinishedWork, {
  /** Forgets executions that completed longer ago, and answers how many. What runs, sleeps or died stays. */
  readonly forget: (olderThan: Duration.Duration) => Effect.Effect<number, StoreUnavailable>
}>()("causeway/ports/FinishedWork") {}
