/**
 * A store that goes back to a backup while the chains went on, by the operator's procedure: the service is stopped, the
 * backup is put in place and marked as restored, and the service is started again. Once in a run.
 */
import { Clock, Effect } from "effect"
import type { Dice } from "../Dice.ts"
import type { Faults } from "../Faults.ts"
import type { OpenStore } from "../Store.ts"

const EVERY_MS = 10_000
/** How old a backup is when it is restored. */
const AGES_MS = [1_000, 60_000] as const

interface BackingUp {
  readonly store: OpenStore
  readonly dice: Dice
  readonly faults: Faults
  readonly tell: (event: string) => void
  /** Stops every process, runs this, and lets the next process start. */
  readonly whileStopped: (work: Effect.Effect<void>) => Effect.Effect<void>
  /** Called before the backup is put in place: what the store knows now is lost then. */
  readonly onLost: Effect.Effect<void>
  /** Called when the backup is in place, before a process starts on it. */
  readonly onRestored: Effect.Effect<void>
}

export const backupsOf = (
  { dice, faults, onLost, onRestored, store, tell, whileStopped }: BackingUp
): Effect.Effect<void> => {
  const { backUp } = store
  if (backUp === undefined) return Effect.void
  return Effect.gen(function*() {
    do yield* Effect.sleep(EVERY_MS)
    while (!faults.strikes("backup-restored", 0.1))
    const restore = yield* backUp
    tell("an operator backs the store up")
    yield* Effect.sleep(dice.between(...AGES_MS))
    yield* whileStopped(Effect.gen(function*() {
      yield* onLost
      yield* restore(yield* Clock.currentTimeMillis)
      yield* onRestored
      tell("the store is restored from its backup")
    }))
  })
}
