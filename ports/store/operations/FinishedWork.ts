/** The workflow engine's rows of executions that have ended. Nothing reads them any more. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** Deletes the engine's records of ended executions, in batches. */
export class FinishedWork extends Context.Service<FinishedWork, {
  /**
   * Deletes executions that completed longer ago than this, and returns how many. Executions that run, sleep or died
   * stay.
   */
  readonly forget: (olderThan: Duration.Duration) => Effect.Effect<number, StoreUnavailable>
}>()("causeway/ports/FinishedWork") {}
