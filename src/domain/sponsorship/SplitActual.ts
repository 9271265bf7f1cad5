/**
 * The split after the fill, from what things really cost (spec/3 §5.7).
 *
 * Guarantee: nothing in it is above the quoted split: not a component's total, not its sponsored part, not what the user
 * pays, not the draw. Real costs above the quoted ones are the solver's loss. The price of the fee currency is the
 * quote's, so that a moving market changes nobody's share.
 */
import { MicroUsdc } from "../app-balance/MicroUsdc.ts"
import { maxOf, minOf } from "../money/Rounding.ts"
import { type ByComponent, byComponent, sumOver } from "./Component.ts"
import type { Split, SplitInput } from "./Split.ts"
import { splitSponsorship } from "./SplitSponsorship.ts"

export interface RealCosts {
  /** Smallest units of the fee currency. */
  readonly totals: ByComponent<bigint>
  readonly originGas: bigint
}

/** The actual split with every sponsored part, the draw and the receivable held at or below the quoted one. */
export const capActual = (quoted: Split, actual: Split): Split => {
  const components = byComponent((component) => {
    const total = minOf(quoted.components[component].total, actual.components[component].total)
    const sponsored = minOf(quoted.components[component].sponsored, actual.components[component].sponsored)
    return { selected: actual.components[component].selected, total, sponsored, userPays: total - sponsored }
  })
  // What was refused to the quote stays refused, whatever the real costs would have allowed.
  const decided = quoted.outcome === "whole" || quoted.outcome === "capped" ? actual : quoted
  return {
    ...decided,
    components,
    sponsoredTotal: sumOver((component) => components[component].sponsored),
    userPaysTotal: sumOver((component) => components[component].userPays),
    draw: MicroUsdc(minOf(quoted.draw, actual.draw)),
    receivable: MicroUsdc(minOf(quoted.receivable, actual.receivable))
  }
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

/** The split of the real costs under the conditions of the quote, `input`. */
export const splitActual = (input: SplitInput, real: RealCosts): Split =>
  capActual(splitSponsorship(input), splitSponsorship({ ...input, ...heldDown(input, real) }))
