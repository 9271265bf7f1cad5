/**
 * Stores pauses and halts. They are read for every quote, and before every action that a halt forbids, so they take
 * effect at once in every process.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Pause } from "../../../src/domain/pause/Pause.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** Pauses and halts that are in force. What is written counts at once in every process. */
export class Pauses extends Context.Service<Pauses, {
  /** Oldest first. */
  readonly all: Effect.Effect<ReadonlyArray<Pause>, StoreUnavailable>
  /**
   * As this process knows them: read again after each notice (`StoreNotices`), and after `SlowPoll`. SECURITY: this may
   * delay an action and must never allow one. Read `all` before acting on the absence of a pause.
   */
  readonly recent: Effect.Effect<ReadonlyArray<Pause>, StoreUnavailable>
  /** Of two pauses with the same scope the first stays. Returns the one that is stored. */
  readonly add: (pause: Pause) => Effect.Effect<Pause, StoreUnavailable>
  /** False when there is no pause with this id. */
  readonly remove: (id: string) => Effect.Effect<boolean, StoreUnavailable>
}>()("causeway/ports/Pauses") {}
