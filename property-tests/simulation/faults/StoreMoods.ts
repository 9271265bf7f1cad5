/** What is wrong with the store as a whole for a while: it does not answer, or it cannot write. */
import { Effect } from "effect"
import type { Dice } from "../Dice.ts"
import type { Faults } from "../Faults.ts"
import { makeSpell } from "./Spell.ts"

/** A statement fails, is answered later, or passes. */
type StoreMood = "fails" | "waits" | "well"

/** Asked for each statement, or call, of a process. `now`: milliseconds. */
export const makeStoreMoods = (faults: Faults, dice: Dice, tell: (event: string) => void, now: () => number) => {
  const isDown = makeSpell(faults, dice, tell, {
    fault: "store-down",
    probability: 0.000_5,
    lasts: [1_000, 20_000],
    says: "the store: all statements fail"
  })
  const isFull = makeSpell(faults, dice, tell, {
    fault: "store-full",
    probability: 0.000_5,
    lasts: [1_000, 40_000],
    says: "the store: nothing can be written"
  })
  const isStalled = makeSpell(faults, dice, tell, {
    fault: "store-stalls",
    probability: 0.000_5,
    lasts: [1_000, 10_000],
    says: "the store: no statement is answered"
  })
  const moodFor = (isWrite: boolean): StoreMood => {
    if (isDown(now()) || (isFull(now()) && isWrite)) return "fails"
    return isStalled(now()) ? "waits" : "well"
  }
  const answered = Effect.suspend((): Effect.Effect<void> =>
    isStalled(now()) ? Effect.andThen(Effect.sleep(500), answered) : Effect.void
  )
  return { moodFor, answered }
}
export type StoreMoods = ReturnType<typeof makeStoreMoods>
