/** A fault that lasts: once it strikes, it holds for a while. It ends when faults stop. */
import type { Dice } from "../Dice.ts"
import type { Fault, Faults } from "../Faults.ts"

/** True while the fault holds. `now` in milliseconds. It may begin whenever it is asked. */
export type Spell = (now: number) => boolean

export interface SpellOptions {
  readonly fault: Fault
  /** Of each chance to begin. */
  readonly probability: number
  /** The least and the most milliseconds that it holds. */
  readonly lasts: readonly [number, number]
  /** For the history of the run. */
  readonly says: string
}

export const makeSpell = (
  faults: Faults,
  dice: Dice,
  tell: (event: string) => void,
  { fault, lasts: [least, most], probability, says }: SpellOptions
): Spell => {
  const own = dice.of(`spell ${fault}`)
  let until = 0
  return (now) => {
    if (until <= now && faults.strikes(fault, probability)) {
      until = now + own.between(least, most)
      tell(`${says} for ${Math.round((until - now) / 1_000)} seconds`)
    }
    return until > now && !faults.isCalm()
  }
}
