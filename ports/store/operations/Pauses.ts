/** Where pauses are kept: read anew for every quote, so that a pause holds at once in every process. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Pause } from "../../../src/domain/pause/Pause.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

export class Pauses extends Context.Service<Pauses, {
  /** Oldest first. */
  readonly all: Effect.Effect<ReadonlyArray<Pause>, StoreUnavailable>
  /** Keeps the first of two pauses of one scope, and answers with what is kept. */
  readonly add: (pause: Pause) => Effect.Effect<Pause, StoreUnavailable>
  /** False when there was none of this id. */
  readonly remove: (id: string) => Effect.Effect<boolean, StoreUnavailable>
}>()("causeway/ports/Pauses") {}
