/**
 * Looks for a plan that brings the adversary profit: it plays variations of the best plan so far, and keeps what came
 * closest. A run in which a law is broken ends the search.
 */
import type { Environment } from "../../../hosts/transfer/config/Environment.ts"
import { makeDice } from "../Dice.ts"
import type { Dice } from "../Dice.ts"
import type { Fault } from "../Faults.ts"
import type { Families } from "../Terms.ts"
import { simulate } from "../World.ts"
import type { Floor, Outcome } from "../World.ts"
import { anyMove } from "./Moves.ts"
import { drawPlans, strategyNames } from "./Strategies.ts"
import type { Plan } from "./Moves.ts"

interface Found {
  readonly outcome: Outcome
  readonly plan: Plan
  /** Who does nothing loses nothing: a plan that pays is always closer. */
  readonly pays: boolean
}

/** Puts a move in, takes one out, or replaces one. */
const varied = (plan: Plan, dice: Dice): Plan => {
  const at = dice.between(0, plan.length)
  return dice.pick([
    () => plan.toSpliced(at, 0, anyMove(dice)),
    () => plan.length > 1 ? plan.toSpliced(at, 1) : plan,
    () => plan.toSpliced(at, 1, anyMove(dice))
  ])()
}

/** Another strategy begins the search anew at this rate. */
const FRESH = 0.3

const isCloser = (one: Found, other: Found): boolean =>
  one.pays && (!other.pays || one.outcome.profit > other.outcome.profit)

/** `seed`: of the search and of its runs. `runs`: at least one. */
export const search = async (
  { environment, families, faults, floor, runs, say, seed }: {
    readonly environment: Environment
    readonly families: Families
    readonly faults: ReadonlySet<Fault>
    readonly floor: Floor
    readonly runs: number
    readonly say: (line: string) => void
    readonly seed: number
  }
): Promise<Found> => {
  const dice = makeDice(`search ${seed}`)
  let best: Found | undefined
  for (let nth = 0; nth < runs || best === undefined; nth += 1) {
    const fresh = drawPlans(new Set(strategyNames), dice.of(`${nth}`)).flatMap(({ plan }) => plan)
    const plan: Plan = best === undefined || !best.pays || dice.chance(FRESH) ? fresh : varied(best.plan, dice)
    const outcome = await simulate({ seed, faults, floor, families, environment, plans: [plan] })
    const pays = outcome.history.some((event) => event.includes("the adversary sends"))
    const found: Found = { outcome, plan, pays }
    if (best !== undefined && outcome.broken.length === 0 && !isCloser(found, best)) continue
    best = found
    say(`run ${nth}: ${outcome.profit} half micro-dollars by ${plan.map((move) => move.do).join(", ")}`)
    if (outcome.broken.length > 0) break
  }
  return best
}
