/**
 * The split after the fill, from what things really cost (spec/3 §5.7).
 *
 * Guarantee: nothing in it is above the quoted split: not a component's total, not its sponsored part, not what the user
 * pays, not the draw. Real costs above the quoted ones are the solver's loss. The price of the fee currency is the
 * quote's, so that a moving market changes nobody's share.
 */
import { MicroUsdc } from "../app-balance/MicroUsdc.ts"
import { maxOf, minOf } from "../money/Rounding.ts"
import { assembleSplit } from "./AssembleSplit.ts"
import { type ByComponent, byComponent } from "./Component.ts"
import type { Split, SplitInput } from "./Split.ts"
import { splitSponsorship } from "./SplitSponsorship.ts"

/** What the fill really cost. */
export interface RealCosts {
  /** Smallest units of the fee currency. */
  readonly totals: ByComponent<bigint>
  readonly originGas: bigint
}

/** Origin and destination gas are held down apart: less of one leaves no room for more of the other. */
const heldDown = (quoted: RealCosts, real: RealCosts): RealCosts => {
  const originGas = minOf(maxOf(0n, quoted.originGas), maxOf(0n, real.originGas))
  const rest = (costs: RealCosts) => costs.totals.execution - maxOf(0n, costs.originGas)
  return {
    originGas,
    totals: {
      ...byComponent((component) => minOf(quoted.totals[component], real.totals[component])),
      execution: originGas + minOf(rest(quoted), rest(real))
    }
  }
}

/** An actual split with its sponsored parts, draw and receivable held at or below the quoted ones; `input` is what it was made of. */
const capActual = (quoted: Split, actual: Split, input: SplitInput): Split => {
  // What was refused to the quote stays refused, whatever the real costs would have allowed; only a cap may no longer cut.
  const { outcome } = quoted.outcome === "capped" ? actual : quoted
  const capped = assembleSplit(input, {
    outcome,
    sponsored: byComponent((component) => minOf(quoted.components[component].sponsored, actual.components[component].sponsored))
  })
  // Less drawn may round to more owed: the quote's receivable is a bound of its own.
  return { ...capped, receivable: MicroUsdc(minOf(quoted.receivable, capped.receivable)) }
}

/** The split of the real costs under the conditions of the quote, `quote`. */
export const splitActual = (quote: SplitInput, real: RealCosts): Split => {
  const input: SplitInput = { ...quote, ...heldDown(quote, real) }
  return capActual(splitSponsorship(quote), splitSponsorship(input), input)
}
