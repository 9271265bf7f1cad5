/**
 * The split after the fill, from what things really cost (SPONSOR-11).
 *
 * Guarantee: nothing in it is above the quoted split: not a component's total, not its sponsored part, not what the
 * user pays, not the draw. Real costs above the quoted ones are the solver's loss. The price of the fee currency is the
 * quote's, so that a moving market changes nobody's share.
 */
import { MicroUsdc } from "../ledger/MicroUsdc.ts"
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

/** A split with its sponsored parts, draw and receivable held at or below another's; `input` is what it was made of. */
const within = (bound: Split, split: Split, input: SplitInput): Split => {
  // What was refused to the bound stays refused, whatever other costs would have allowed; only a cap may cut or no
  // longer cut.
  const { outcome } = bound.outcome === "capped" || bound.outcome === "whole" ? split : bound
  const held = assembleSplit(input, {
    outcome,
    sponsored: byComponent((component) =>
      minOf(bound.components[component].sponsored, split.components[component].sponsored)
    )
  })
  // Less drawn may round to more owed: the bound's receivable is a bound of its own.
  return { ...held, receivable: MicroUsdc(minOf(bound.receivable, held.receivable)) }
}

/** The split of the real costs under the conditions of the quote, `quote`. */
export const splitActual = (quote: SplitInput, real: RealCosts): Split => {
  const input: SplitInput = { ...quote, ...heldDown(quote, real) }
  return within(splitSponsorship(quote), splitSponsorship(input), input)
}

/**
 * What becomes of costs above the quoted ones: they are the user's, or everything is (SPONSOR-7, where more has come
 * than was quoted).
 */
export type Above = "user-pays-rest" | "user-pays-all"

/**
 * The split of another price under the conditions of the quote: of another time, or of another amount. The sponsor pays
 * for no component more than was quoted; what is more is the user's, or all of it.
 */
export const splitRepriced = (
  quote: SplitInput,
  { originGas, totals }: RealCosts,
  above: Above = "user-pays-rest"
): Split => {
  const input: SplitInput = { ...quote, originGas, totals }
  const [quoted, now] = [splitSponsorship(quote), splitSponsorship(input)]
  return above === "user-pays-all" && now.sponsoredTotal > quoted.sponsoredTotal
    ? assembleSplit(input, { outcome: "above-cap", sponsored: byComponent(() => 0n) })
    : within(quoted, now, input)
}

/** The split of the real costs of a deposit that was charged `charged`, for the costs that it was charged for. */
export const splitSettled = (quote: SplitInput, charged: Split, costs: RealCosts, real: RealCosts): Split => {
  const input: SplitInput = { ...quote, ...heldDown(costs, real) }
  return within(charged, splitSponsorship(input), input)
}
