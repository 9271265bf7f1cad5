/** How the next block of a simulated chain is made: which transfers it takes, its time, and what is final after it. */
import { type LedgerState, nextBlock } from "../../../examples/ledger-vm/ledger/Ledger.ts"
import type { Dice } from "../Dice.ts"
import type { Faults } from "../Faults.ts"
import { solver } from "../Terms.ts"
import { makeSpell } from "./Spell.ts"

/** A chain's clock is this wrong at most, seconds. */
const CLOCK_SECONDS = 20

/** A transfer waits, and is not lost: the block is made without it. */
const without = (state: LedgerState, seconds: number, waits: (nth: number, sender: string) => boolean): LedgerState => {
  const held = state.pool.filter(({ transfer }, nth) => waits(nth, transfer.sender))
  const made = nextBlock({ ...state, pool: state.pool.filter((each) => !held.includes(each)) }, seconds)
  return { ...made, pool: [...held, ...made.pool] }
}

/**
 * `usual`: how many blocks on top make a block final. Late finality stands still, and never goes back: it keeps the
 * final block while others are put on top.
 */
export const makeBlocks = (
  slug: string,
  usual: number,
  dice: Dice,
  faults: Faults,
  tell: (event: string) => void
) => {
  const spell = (fault: Parameters<typeof makeSpell>[3]["fault"], probability: number, most: number, says: string) =>
    makeSpell(faults, dice, tell, { fault, probability, lasts: [20_000, most], says: `${slug}: ${says}` })
  const isFull = spell("blocks-full", 0.03, 120_000, "blocks have room for one transfer")
  const censors = spell("chain-censors", 0.03, 60_000, "no block takes a transfer of the solver")
  const isLate = spell("finality-late", 0.03, 120_000, "no block becomes final")
  const isApart = spell("chain-clock-apart", 0.03, 120_000, "the clock is wrong")
  let wrong = 0

  return (state: LedgerState, now: number): LedgerState => {
    const before = wrong
    wrong = isApart(now) ? (before === 0 ? dice.between(-CLOCK_SECONDS, CLOCK_SECONDS) : before) : 0
    const [full, censoring] = [isFull(now), censors(now)]
    const made = without(
      state,
      Math.floor(now / 1_000) + wrong,
      (nth, sender) => (full && nth > 0) || (censoring && sender === solver)
    )
    const finalAfter = isLate(now) ? state.terms.finalAfter + 1 : usual
    return { ...made, terms: { ...made.terms, finalAfter } }
  }
}
